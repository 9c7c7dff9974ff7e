import { ClientGoneError, loseIfGoesOn } from '../requests/client-gone.ts'
import { discard } from '../requests/discard.ts'
import { problem } from '../requests/problem-details.ts'
import type { Visit } from '../requests/with-request.ts'
import type { Lock } from '../core/lock/lock.ts'
import { isFinal } from '../util/bytes.ts'
import { isEventStream, isLasting } from '../util/thrown-answer.ts'
import type { IdempotencyGateOptions } from './options.ts'
import {
  type RecordLimits,
  writeDropped,
  writeResponse,
  type Written,
} from './recorded-response.ts'
import { problemType } from '../util/codes.ts'

// One run of a handler under its claim, and its record.

const gone = 'a client left while its handler was responding, so a repeated request gets a 409'

// The claims of requests whose handlers are running, by the locks of the request. If two middleware wrap the same
// handler, the inner one finds the claim here instead of waiting for it.
const claims = new WeakMap<readonly Lock[], Lock>()

/** The claim under which this request is being processed. */
export const claimAround = (held: readonly Lock[]): Lock | undefined => claims.get(held)

/** The outcome of a run. */
export type HandlerRun = {
  readonly written: Written
  /** The value that the handler threw, unless it represents a response. The caller rethrows it. */
  readonly failure?: { readonly error: unknown }
  /** Why the run is not recorded, if it is not. */
  readonly notRecorded?: 'failed' | 'declined'
}

/** The status in an error, as many frameworks set it; 500 if there is none. */
const statusOf = (error: unknown): number => {
  try {
    const { status, statusCode = status } = Object(error) as Readonly<Record<string, unknown>>
    const code = Number(statusCode)
    return Number.isInteger(code) && code >= 400 && code < 600 ? code : 500
  } catch {
    // A getter threw.
    return 500
  }
}

/** The response that represents an error, without the error message. */
const responseTo = (error: unknown): Response => {
  const status = statusOf(error)
  const title = status === 500 ? 'Internal Server Error' : undefined
  return problem({ type: problemType('ERL16'), status, title, detail: 'The request has failed.' })
}

/** Sends a response, but records a 500 in its place. */
const standIn = async (response: Response, limits: RecordLimits): Promise<HandlerRun> => {
  const { content = '' } = await writeResponse(responseTo(undefined), limits)
  return { written: { response, content } }
}

/** Whether `shouldRecord` accepts a response. The function receives a copy, so that it can read the body. */
const isWanted = async <Args extends readonly unknown[], T>(
  response: Response,
  { scope }: Visit<Args>,
  shouldRecord: NonNullable<IdempotencyGateOptions<Args, T>['shouldRecord']>,
): Promise<boolean> => {
  const returned = scope.returned(response)
  const given = returned === response ? response.clone() : returned
  try {
    return await shouldRecord(given as T, ...scope.args)
  } finally {
    if (given instanceof Response && !given.bodyUsed) discard(given)
  }
}

/** Why a response must not be recorded; undefined if it should be. @throws any error of `shouldRecord`. */
const objectionTo = async <Args extends readonly unknown[], T>(
  response: Response,
  visit: Visit<Args>,
  { shouldRecord, failures }: IdempotencyGateOptions<Args, T>,
): Promise<HandlerRun['notRecorded']> => {
  if (!isFinal(response)) return 'declined'
  if (shouldRecord) {
    return (await isWanted(response, visit, shouldRecord)) ? undefined : 'declined'
  }
  if (failures === 'replay' ? !isEventStream(response) : isLasting(response)) return undefined
  return response.status >= 500 ? 'failed' : 'declined'
}

/**
 * Reads a response for its record with `failures: 'retry'`: a failure is not recorded. @throws any error of
 * `shouldRecord`.
 */
const readUnlessFailed = async <Args extends readonly unknown[], T>(
  response: Response,
  visit: Visit<Args>,
  options: IdempotencyGateOptions<Args, T>,
  limits: RecordLimits,
  hasThrown: boolean,
): Promise<HandlerRun> => {
  const notRecorded = hasThrown ? 'failed' : await objectionTo(response, visit, options)
  if (notRecorded) return { written: { response }, notRecorded }
  const written = await writeResponse(response, limits, visit.thrownAs())
  // A truncated body counts as a failure.
  return written.content === undefined ? { written, notRecorded: 'failed' } : { written }
}

/**
 * Reads a response for its record with `failures: 'replay'`: if it cannot be recorded, a 500 is recorded in its place.
 */
const readEvenIfFailed = async <Args extends readonly unknown[], T>(
  response: Response,
  visit: Visit<Args>,
  options: IdempotencyGateOptions<Args, T>,
  limits: RecordLimits,
  hasThrown: boolean,
): Promise<HandlerRun> => {
  // A network error cannot be recorded.
  if (response.type === 'error') return standIn(response, limits)
  try {
    const notRecorded = await objectionTo(response, visit, options)
    if (notRecorded) return { written: { response }, notRecorded }
  } catch (error) {
    // `shouldRecord` failed, so record a 500: the request must not run again.
    discard(response)
    return { ...(await standIn(response, limits)), failure: { error } }
  }
  // If the response represents an error, the handler did not throw this response, even if it threw another one.
  const thrownAs = hasThrown ? undefined : visit.thrownAs()
  const written = await writeResponse(response, limits, thrownAs)
  return written.content === undefined ? standIn(written.response, limits) : { written }
}

/** Reads a response for its record, if it should be recorded. `hasThrown`: whether the response represents an error. */
const readForRecord = async <Args extends readonly unknown[], T>(
  response: Response,
  visit: Visit<Args>,
  options: IdempotencyGateOptions<Args, T>,
  limits: RecordLimits,
  hasThrown: boolean,
): Promise<HandlerRun> => {
  const mistake = visit.scope.problem?.()
  if (mistake) return { written: writeDropped(response, mistake) }
  const read = options.failures === 'replay' ? readEvenIfFailed : readUnlessFailed
  return read(response, visit, options, limits, hasThrown)
}

/**
 * Runs the handler with a separate handle on the lock, and reads its response for the record.
 *
 * @throws any error of `shouldRecord`.
 */
export const runHandler = async <Args extends readonly unknown[], T>(
  lock: Lock,
  visit: Visit<Args>,
  options: IdempotencyGateOptions<Args, T>,
  limits: RecordLimits,
): Promise<HandlerRun> => {
  const { held, handle, scope } = visit
  // With a separate handle, the claim survives if the handler releases its lock.
  const own = lock.reenter()
  held.push(own)
  claims.set(held, own)
  let response: Response | undefined
  try {
    response = await handle(own)
    return await readForRecord(response, visit, options, limits, !!scope.hasFailed?.())
  } catch (error) {
    loseIfGoesOn(lock, error)
    discard(response)
    const isUnknown = error instanceof ClientGoneError && options.failures === 'replay'
    // The handler may still be running, and its response will remain unknown.
    if (isUnknown) return { written: writeDropped(responseTo(error), gone), failure: { error } }
    const run = await readForRecord(responseTo(error), visit, options, limits, true)
    return { ...run, failure: { error } }
  } finally {
    claims.delete(held)
    held.splice(held.lastIndexOf(own), 1)
    scope.show?.(held.at(-1))
    await own.release()
  }
}
