import type { RedisArgument } from './command.ts'

/** A subscription that a client requests. The gateway passes it to the option `subscribe`. */
export type Subscription = {
  /** `subscribe`, if `channels` are the names of channels; `psubscribe`, if they are patterns. */
  readonly command: 'subscribe' | 'psubscribe'
  /** One or more. */
  readonly channels: readonly RedisArgument[]
  /** To be called with every message, and for `psubscribe` with its pattern. */
  readonly onMessage: (
    message: RedisArgument,
    channel: RedisArgument,
    pattern?: RedisArgument,
  ) => void
  /** To be called when the connection to Redis is lost, since messages may be missing from then on. */
  readonly onEnd: () => void
  /**
   * Aborts when the client has disconnected, possibly before the subscription is made, and when it
   * could not be made. The connection must then be closed.
   */
  readonly signal: AbortSignal
}

/**
 * Subscribes **on a separate connection**, which must not reconnect. Resolves once Redis has confirmed
 * all channels. Rejects like `send`.
 */
export type Subscribe = (subscription: Subscription) => Promise<unknown>

/** Whether the response to the command is a stream of events. */
export const isSubscribeCommand = (name: string): boolean =>
  name === 'SUBSCRIBE' || name === 'PSUBSCRIBE'
