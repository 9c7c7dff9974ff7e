import { discard } from '../http/discard.ts'
import type { Visit } from '../http/with-request.ts'
import type { Lock } from '../lock/lock.ts'
import { isFinal } from '../util/response-status.ts'
import { type IdempotencyOptions, isLasting } from './options.ts'
import {
  type RecordLimits,
  writeDropped,
  writeResponse,
  type Written,
} from './recorded-response.ts'

// The claims of requests whose handlers run, by the locks of the request. A second middleware around the
// same handler must not wait for the first.
const claims = new WeakMap<readonly Lock[], Lock>()

/** The claim around a request, whatever its name; undefined if there is none. */
export const claimAround = (held: readonly Lock[]): Lock | undefined => claims.get(held)

/** Reads a response for its record; undefined if it is not to be recorded. */
export const readForRecord = async <Args extends readonly unknown[], T>(
  response: Response,
  { scope }: Visit<Args>,
  { shouldRecord }: IdempotencyOptions<Args, T>,
  limits: RecordLimits,
): Promise<Written | undefined> => {
  const problem = scope.problem?.()
  if (problem) return writeDropped(response, problem)
  // An error says nothing lasting.
  if (scope.hasFailed?.() || !isFinal(response)) return undefined
  if (!shouldRecord) return isLasting(response) ? writeResponse(response, limits) : undefined
  const returned = scope.returned(response)
  // The function gets a copy, whose body it may read.
  const given = returned === response ? response.clone() : returned
  try {
    const isRecorded = await shouldRecord(given as T, ...scope.args)
    return isRecorded ? await writeResponse(response, limits) : undefined
  } finally {
    if (given instanceof Response && !given.bodyUsed) discard(given)
  }
}

/** What a handler has answered; `written` is undefined for a response that is not to be recorded. */
type Ran = { readonly response: Response; readonly written: Written | undefined }

/** Runs the handler, with a handle of its own on the lock, and reads its response for the record. */
export const runOnce = async <Args extends readonly unknown[]>(
  lock: Lock,
  { held, handle, scope }: Visit<Args>,
  write: (response: Response) => Promise<Written | undefined>,
): Promise<Ran> => {
  // The claim outlives a handler that releases the lock.
  const own = lock.reenter()
  held.push(own)
  claims.set(held, own)
  let response: Response | undefined
  try {
    response = await handle(own)
    return { response, written: await write(response) }
  } catch (error) {
    discard(response)
    throw error
  } finally {
    claims.delete(held)
    held.splice(held.lastIndexOf(own), 1)
    scope.onEnd?.()
    await own.release()
  }
}
