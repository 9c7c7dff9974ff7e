import type { RedisArgument } from './command.ts'

/** A subscription that a client asks for, as the gateway hands it to the option `subscribe`. */
export type Subscription = {
  /** `subscribe`, if `channels` are the names of channels; `psubscribe`, if they are patterns. */
  readonly command: 'subscribe' | 'psubscribe'
  /** One or more. */
  readonly channels: readonly RedisArgument[]
  /** To be called with every message; with its pattern in the case of `psubscribe`. */
  readonly onMessage: (
    message: RedisArgument,
    channel: RedisArgument,
    pattern?: RedisArgument,
  ) => void
  /** To be called when the connection to Redis is lost, since messages may be missed from then on. */
  readonly onEnd: () => void
  /**
   * Aborts when the client has disconnected, also while the subscription is being made, and when it
   * could not be made. The connection must be closed then.
   */
  readonly signal: AbortSignal
}

/**
 * Subscribes **on a connection of its own**, which must not reconnect. Resolves once Redis has
 * confirmed all channels. Rejects like `send`.
 */
export type Subscribe = (subscription: Subscription) => Promise<unknown>

/** Whether a command is one that a stream of events answers. */
export const isSubscribeCommand = (name: string): boolean =>
  name === 'SUBSCRIBE' || name === 'PSUBSCRIBE'
