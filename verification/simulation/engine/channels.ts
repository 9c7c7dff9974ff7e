/** The publish/subscribe channels of a server. */
export type Channels = {
  /** Returns a function that ends the subscription. */
  readonly subscribe: (channel: string, receive: (message: string) => void) => () => void
  /** Returns the number of subscribers. */
  readonly publish: (channel: string, message: string) => number
}

export const makeChannels = (): Channels => {
  const subscribers = new Map<string, Set<(message: string) => void>>()
  return {
    subscribe: (channel, receive) => {
      const all = subscribers.get(channel) ?? new Set()
      subscribers.set(channel, all.add(receive))
      return () => void all.delete(receive)
    },
    publish: (channel, message) => {
      const all = [...(subscribers.get(channel) ?? [])]
      for (const receive of all) receive(message)
      return all.length
    },
  }
}
