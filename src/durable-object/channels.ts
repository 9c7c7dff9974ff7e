/** Messages to waiters, as streams of server-sent events. Each waiter has a separate channel. */
export type Channels = {
  /** Sends a message to a channel. @returns the number of subscribers that it reached. */
  readonly publish: (channel: string, message: string) => number
  /** Returns a stream of the messages on a channel. The first event confirms the subscription. */
  readonly subscribe: (channel: string) => ReadableStream<Uint8Array>
}

const encoder = new TextEncoder()

const eventOf = (...words: readonly string[]): Uint8Array =>
  encoder.encode(`data: ${words.join(',')}\n\n`)

/**
 * Creates the channels of one object, in memory. When the object ends, its streams end as well, and waiters poll
 * instead.
 */
export const openChannels = (): Channels => {
  const subscribers = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>()
  return {
    publish: (channel, message) => {
      let reached = 0
      for (const one of subscribers.get(channel) ?? []) {
        try {
          one.enqueue(eventOf('message', channel, message))
          reached++
        } catch {
          // The stream has failed, which must not make the command fail.
          subscribers.get(channel)?.delete(one)
        }
      }
      return reached
    },
    subscribe: (channel) => {
      const own = subscribers.get(channel) ?? new Set()
      let subscriber: ReadableStreamDefaultController<Uint8Array>
      return new ReadableStream<Uint8Array>({
        start: (controller) => {
          subscriber = controller
          own.add(controller)
          subscribers.set(channel, own)
          controller.enqueue(eventOf('subscribe', channel, '1'))
        },
        cancel: () => {
          own.delete(subscriber)
          if (own.size === 0) subscribers.delete(channel)
        },
      })
    },
  }
}
