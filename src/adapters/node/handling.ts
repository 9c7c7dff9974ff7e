import type { ServerResponse } from 'node:http'
import { warnOnce } from '../../util/warn-once.ts'

/** A running handler, and the part of its response that is held back. */
export type Handling = {
  /**
   * The response that the gate waits for.
   *
   * @throws `ClientGoneError` if the connection has closed and the response can no longer end; or the error of the
   *   handler.
   */
  readonly response: Promise<Response>
  /** Takes the return value of the handler. */
  readonly follow: (returned: unknown) => void
  /** Whether the handler has ended its response. */
  readonly hasEnded: () => boolean
  /** Sends everything that the handler has written, with the headers of this response. Later writes pass through. */
  readonly send: (response: Response) => void
  /** Sends another response, and drops everything that the handler has written or will write. */
  readonly replace: (response: Response) => Promise<void>
  /** Drops everything that the handler has written, so that other code can answer. */
  readonly reset: () => void
  /** Why the handler's answer is unknown, if it is. */
  readonly problem: () => string | undefined
}

/**
 * Begins to hold a response back.
 *
 * @param patience - Returns the ms for which a response may continue after its connection has closed.
 */
export type HoldResponse = (res: ServerResponse, patience: () => number) => Handling

export const isFunction = (given: unknown): given is () => void => typeof given === 'function'

/** Why a response that was sent is unknown here. */
const past =
  'a response was sent past the middleware of edge-redlock/node: put the middleware before code that keeps `res.end`'

export const tellPast = (): string => {
  warnOnce('ERL14', past)
  return past
}
