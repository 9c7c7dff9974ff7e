import type { ServerResponse } from 'node:http'
import { warnOnce } from '../../util/warn-once.ts'

/** A running handler, and the part of its response that is held back. */
export type Handling = {
  /**
   * The response for which the gate waits.
   *
   * @throws `ClientGoneError` if the connection has closed and the response can no longer end; or the handler's error.
   */
  readonly response: Promise<Response>
  /** Follows the return value of the handler, which may be a promise. */
  readonly follow: (returned: unknown) => void
  /** Whether the handler has ended its response. */
  readonly hasEnded: () => boolean
  /** Sends everything that the handler has written, with the headers of this response. Later writes pass through. */
  readonly send: (response: Response) => void
  /** Sends another response, and discards everything that the handler has written or will write. */
  readonly replace: (response: Response) => Promise<void>
  /** Discards everything that the handler has written, so that other code can respond. */
  readonly reset: () => void
  /** Returns why the handler's response is unknown; undefined if it is known. */
  readonly problem: () => string | undefined
}

/**
 * Starts to hold back a response.
 *
 * @param patience - Returns how long a response can continue after its connection has closed, in ms.
 */
export type HoldResponse = (res: ServerResponse, patience: () => number) => Handling

export const isFunction = (given: unknown): given is () => void => typeof given === 'function'

/** Why a response that was sent is unknown to this package. */
const past =
  'a response was sent past the middleware of edge-redlock/node: put the middleware before code that keeps `res.end`'

export const tellPast = (): string => {
  warnOnce('ERL14', past)
  return past
}
