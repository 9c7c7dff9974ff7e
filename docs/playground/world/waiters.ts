import type { Push } from './recording.ts'

/** A stream of a client that waits: a server sends to it until one of them ends it. */
export type Stream = {
  readonly send: (push: Push) => void
  readonly end: () => void
}

type Waiting = { readonly id: string; readonly client: number; readonly since: number }

/**
 * The clients that wait on one server, as `wait.lua` and `waking-release.lua` keep them: a queue by the
 * beginning of the calls, and a stream for each. A real server keeps ids that began at the same moment in the
 * order of their text; here the first to come is the first, so that a run can be repeated.
 */
export const makeWaiters = () => {
  const streams = new Map<string, Stream>()
  let queue: Waiting[] = []
  return {
    /** The clients of the queue, in order. */
    queue: (): readonly number[] => queue.map(({ client }) => client),
    subscribe: (id: string, stream: Stream): void => void streams.set(id, stream),
    unsubscribe: (id: string): void => void streams.delete(id),
    join: (id: string, client: number, since: number): void => {
      if (!queue.some((one) => one.id === id)) {
        queue = [...queue, { id, client, since }].toSorted((a, b) => a.since - b.since)
      }
      streams.get(id)?.send('hello')
    },
    leave: (id: string): void => void (queue = queue.filter((one) => one.id !== id)),
    /** Wakes the first waiter whose stream is open. Those before it have gone. */
    wakeFirst: (): void => {
      const index = queue.findIndex(({ id }) => streams.has(id))
      const [first, ...others] = index < 0 ? [] : queue.slice(index)
      queue = others
      if (first) streams.get(first.id)?.send('wake')
    },
    /** The connections break. The queue is data, and stays. */
    endStreams: (): void => {
      for (const { end } of streams.values()) end()
      streams.clear()
    },
    forget: (): void => void (queue = []),
  }
}

export type Waiters = ReturnType<typeof makeWaiters>
