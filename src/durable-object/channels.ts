/** Messages to waiters, as streams of server-sent events; one channel for each waiter. */
export type Channels = {
  /** Sends a message to a channel. @returns how many subscribers it has. */
  readonly publish: (channel: string, message: string) => number
  /** Returns a stream of the messages of a channel. It begins with an event that confirms the subscription. */
  readonly subscribe: (channel: string) => ReadableStream<Uint8Array>
}

const encoder = new TextEncoder()

const eventOf = (...words: readonly string[]): Uint8Array =>
  encoder.encode(`data: ${words.join(',')}\n\n`)

/** The channels of one object, in memory. When the object ends, its streams end too, and waiters poll. */
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
          // The stream has failed. A message must not prevent a script from ending.
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
