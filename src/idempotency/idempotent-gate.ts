import { loseIfGoesOn } from '../http/client-gone.ts'
import { discard } from '../http/discard.ts'
import { idempotentRefusals } from '../http/refusals.ts'
import { holdOf } from '../http/background.ts'
import {
  type Answer,
  forRequest,
  type Gate,
  type Refused,
  type Visit,
} from '../http/with-request.ts'
import { claim, recordClient } from '../records/claim.ts'
import type { Completion } from '../records/settle.ts'
import { clientOf } from '../redlock.ts'
import { stopwatch } from '../util/clock.ts'
import { checkStore } from '../stores/body-store.ts'
import { identify } from './identify.ts'
import { type IdempotencyOptions, resolveOptions } from './options.ts'
import {
  lookAgain,
  readResponse,
  type RecordLimits,
  writeDropped,
  writeResponse,
  type Written,
} from './recorded-response.ts'
import type { Lock } from '../lock/lock.ts'
import { isFinal } from '../util/bytes.ts'

// The claims of requests whose handlers run, by the locks of the request. A second middleware around the
// same handler must not wait for the first.
const claims = new WeakMap<readonly Lock[], Lock>()

const transient = /^(40[1389]|42[59]|5..)$/

/** The default of `shouldRecord`: an answer that invites another try says nothing lasting. */
const isLasting = ({ status, headers }: Response): boolean =>
  !transient.test(`${status}`) &&
  !headers.has('retry-after') &&
  !/^text\/event-stream/i.test(headers.get('content-type') ?? '')

/** Reads a response for its record, if it is to be recorded. */
const readForRecord = async <Args extends readonly unknown[], T>(
  response: Response,
  { scope }: Visit<Args>,
  { shouldRecord }: IdempotencyOptions<Args, T>,
  limits: RecordLimits,
): Promise<Written> => {
  const problem = scope.problem?.()
  if (problem) return writeDropped(response, problem)
  // An error says nothing lasting.
  if (scope.hasFailed?.() || !isFinal(response)) return { response }
  let isRecorded = !shouldRecord && isLasting(response)
  if (shouldRecord) {
    const returned = scope.returned(response)
    // The function gets a copy, whose body it may read.
    const given = returned === response ? response.clone() : returned
    try {
      isRecorded = await shouldRecord(given as T, ...scope.args)
    } finally {
      if (given instanceof Response && !given.bodyUsed) discard(given)
    }
  }
  return isRecorded ? writeResponse(response, limits) : { response }
}

/** Runs the handler, with a handle of its own on the lock, and reads its response for the record. */
const runOnce = async <Args extends readonly unknown[]>(
  lock: Lock,
  { held, handle, scope }: Visit<Args>,
  write: (response: Response) => Promise<Written>,
): Promise<Written> => {
  // The claim outlives a handler that releases the lock.
  const own = lock.reenter()
  held.push(own)
  claims.set(held, own)
  let response: Response | undefined
  try {
    response = await handle(own)
    return await write(response)
  } catch (error) {
    loseIfGoesOn(lock, error)
    discard(response)
    throw error
  } finally {
    claims.delete(held)
    held.splice(held.lastIndexOf(own), 1)
    scope.show?.(held.at(-1))
    await own.release()
  }
}

// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
const safeMethods = /^(GET|HEAD|OPTIONS|TRACE)$/i

// Ms that a store has for the body of an answer, and at least for that of a replay, which may have no `wait`.
const [maxPatience, minPatience] = [15_000, 2_000]

/**
 * Answers a request by its handler, or by the recorded answer to the same request.
 *
 * The answer of the handler is sent once its record is on a quorum of nodes. A request whose answer is
 * not recorded is released, also when the handler throws or the body of its answer fails.
 *
 * @param call - The function that was called with the options.
 */
export const idempotentGate = <Args extends readonly unknown[], T>(
  call: string,
  options: IdempotencyOptions<Args, T>,
): Gate<Args> => {
  const resolved = resolveOptions(call, options)
  const { limits, recordTtl } = resolved

  const enter: Gate<Args>['enter'] = async (visit) => {
    const { scope, held, pass, waitUntil } = visit
    const outer = claims.get(held)
    if (outer || safeMethods.test(scope.request.method)) return pass(outer)
    const identity = await identify(scope, options, resolved)
    if (!identity) return pass()
    if ('reason' in identity) return identity
    const { key, fingerprint } = identity
    // A copy of the request, as `app.mount()` makes it, would wait for the claim around it.
    const same = held.find(({ keys }) => keys[0] === key)
    if (same) return pass(same)

    const given = clientOf(await forRequest(options.redlock, scope.args))
    const client = recordClient(given, identity.given)
    /** Reports how a request is answered that does not run. */
    const told = <Reason extends 'replayed' | 'in-flight' | 'payload-mismatch'>(
      reason: Reason,
    ): { reason: Reason } => {
      client.emit?.({ kind: 'claim', keys: [key], type: reason })
      return { reason }
    }
    const { ttl = client.ttl } = options
    const store = await forRequest(options.store, scope.args)
    // A wrong one is found before the handler runs.
    if (options.store !== undefined) checkStore('store', store)
    const elapsed = stopwatch(client.clock)
    const hold = holdOf(scope, limits, options.wait)
    // Half of what the platform has left is for the nodes, and for the answer itself.
    const timeLeft = (limit: number): number => Math.min(limit, scope.platform.remainingTime() / 2)

    /** Answers in place of the handler, or of the answer that it has just made. */
    const answerBy = async (found: Completion): Promise<Answer | Refused> => {
      const isRecorded = found.state === 'recorded'
      if (found.state === 'unavailable')
        return { reason: found.state, retryAfter: found.retryAfter }
      const other = isRecorded ? found.record.fingerprint : found.fingerprint
      if (other !== undefined && other !== fingerprint) return told('payload-mismatch')
      if (!isRecorded) return { ...told('in-flight'), ...lookAgain }
      const limit = Math.min(maxPatience, Math.max(minPatience, hold.wait - elapsed()))
      const { content } = found.record
      const read = await readResponse(content, resolved.headers, store, timeLeft(limit))
      if ('reason' in read) return read
      told('replayed')
      await visit.drain()
      return { response: read, isOwn: false }
    }

    const result = await claim({ client, key, fingerprint, ttl, waitUntil }, hold)
    if (result.state !== 'claimed') return answerBy(result)

    const { claim: own } = result
    const finish = visit.keepAlive()
    const recordLimits = { ...resolved, store, patience: () => timeLeft(maxPatience) }
    let written: Written
    let completed: Completion | undefined
    try {
      own.lock.keepAlive({ ...limits, maxHold: hold.maxHold() })
      written = await runOnce(own.lock, visit, (response) =>
        readForRecord(response, visit, options, recordLimits),
      )
      const { content, problem } = written
      if (problem) client.warn?.(problem)
      if (content !== undefined)
        completed = await own.complete({ fingerprint, content, ttl: recordTtl })
    } finally {
      await finish(completed ?? own.lock.release())
    }
    const { response, content } = written
    if (completed?.state === 'unavailable') {
      return { reason: 'answer-not-recorded', ...lookAgain, response }
    }
    if (!completed || (completed.state === 'recorded' && completed.record.content === content)) {
      return { response, isOwn: true }
    }
    // Another has answered the request meanwhile, and all clients get the same answer.
    discard(response)
    return answerBy(completed)
  }

  return { kind: 'claim', options, refusals: idempotentRefusals, readsAnswer: true, enter }
}
