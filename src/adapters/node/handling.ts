import type { ServerResponse } from 'node:http'
import { warnOnce } from '../../util/warn-once.ts'

/** The handler of a request at work, and the part of its response that is held back. */
export type Handling = {
  /**
   * What the gate waits for.
   *
   * @throws `ClientGoneError` if the connection has closed, and the response cannot end any more; or the error of the
   * handler.
   */
  readonly response: Promise<Response>
  /** Takes what the handler has returned. */
  readonly follow: (returned: unknown) => void
  /** Whether the handler has ended its response. */
  readonly hasEnded: () => boolean
  /** Sends what the handler has written, with the headers of this response; the rest passes. */
  readonly send: (response: Response) => void
  /** Sends another response, and drops what the handler has written, and will write. */
  readonly replace: (response: Response) => Promise<void>
  /** Drops what the handler has written, so that somebody else can answer. */
  readonly reset: () => void
  /** Why nobody knows what the handler has answered. */
  readonly problem: () => string | undefined
}

/**
 * Begins to hold a response back.
 *
 * @param patience - Reads the ms for which a response may go on whose connection has closed.
 */
export type HoldResponse = (res: ServerResponse, patience: () => number) => Handling

export const isFunction = (given: unknown): given is () => void => typeof given === 'function'

/** Why a response that was sent is unknown here. */
const past =
  'a response was sent past the middleware of edge-redlock/node: put the middleware before what keeps `res.end`'

export const tellPast = (): string => {
  warnOnce(past)
  return past
}
