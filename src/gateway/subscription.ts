import type { RedisArgument } from './command.ts'

/** A subscription that a client requests. The gateway passes it to the `subscribe` option. */
export type Subscription = {
  /** `subscribe` if `channels` are names; `psubscribe` if they are patterns. */
  readonly command: 'subscribe' | 'psubscribe'
  /** One or more channels. */
  readonly channels: readonly RedisArgument[]
  /** Must be called with every message and, for `psubscribe`, with the pattern that matched. */
  readonly onMessage: (
    message: RedisArgument,
    channel: RedisArgument,
    pattern?: RedisArgument,
  ) => void
  /** Must be called when the connection to Redis is lost, because later messages can be missing. */
  readonly onEnd: () => void
  /**
   * Aborts when the client has disconnected, possibly before the subscription is complete, and when the subscription
   * has failed. The connection must then be closed.
   */
  readonly signal: AbortSignal
}

/**
 * Subscribes **on a separate connection**, which must not reconnect. Resolves once Redis has confirmed all channels.
 * Rejects like `send`.
 */
export type Subscribe = (subscription: Subscription) => Promise<unknown>

/** Whether the response to a command is an event stream. */
export const isSubscribeCommand = (name: string): boolean =>
  name === 'SUBSCRIBE' || name === 'PSUBSCRIBE'
