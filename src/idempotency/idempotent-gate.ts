import { discard } from '../http/discard.ts'
import { idempotentRefusals } from '../http/refusals.ts'
import { forRequest, holdOf } from '../http/request-options.ts'
import type { Answer, Gate, Visit } from '../http/with-request.ts'
import { claim, recordClient } from '../records/claim.ts'
import type { StoredRecord } from '../records/reading.ts'
import { stopwatch } from '../util/clock.ts'
import { checkTtl } from '../util/validate.ts'
import { checkStore } from '../stores/body-store.ts'
import { identify, type Identity } from './identify.ts'
import { type IdempotencyOptions, resolveOptions } from './options.ts'
import {
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

/** The claim around a request, whatever its name; undefined if there is none. */
const claimAround = (held: readonly Lock[]): Lock | undefined => claims.get(held)

const transient = new Set([401, 403, 408, 409, 425, 429])

/** The default of `shouldRecord`: an answer that invites another try says nothing lasting. */
const isLasting = ({ status, headers }: Response): boolean =>
  status < 500 &&
  !transient.has(status) &&
  !headers.has('retry-after') &&
  !/^text\/event-stream/i.test(headers.get('content-type') ?? '')

/** Reads a response for its record; undefined if it is not to be recorded. */
const readForRecord = async <Args extends readonly unknown[], T>(
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

// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
const safeMethods = /^(GET|HEAD|OPTIONS|TRACE)$/i

// Ms that a store has for the body of an answer, and at least for that of a replay, which may have no `wait`.
const [maxPatience, minPatience] = [15_000, 2_000]

// Ms after which a client is to look again for an answer. The claim is extended, so its end says nothing.
const lookAgain = { retryAfter: 1000 }

const unreadable = 'The answer cannot be read now.'

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
): Gate<Args, Identity> => {
  const resolved = resolveOptions(call, options)
  const { limits, recordTtl } = resolved

  const keyOf: NonNullable<Gate<Args, Identity>['keyOf']> = async (visit) => {
    const { scope, held, pass, refuse } = visit
    const outer = claimAround(held)
    if (outer || safeMethods.test(scope.request.method)) return pass(outer)
    const identity = await identify(scope, options, resolved)
    if (identity === 'pass') return pass()
    if ('length' in identity) {
      const [reason, detail] = identity
      return refuse({ reason, ...(detail && { detail }) })
    }
    // A copy of the request, as `app.mount()` makes it, would wait for the claim around it.
    const same = held.find(({ keys }) => keys[0] === identity.key)
    return same ? pass(same) : { key: identity }
  }

  const enter: Gate<Args, Identity>['enter'] = async (visit, identity, given) => {
    const { scope, waitUntil, refuse } = visit
    const { key, fingerprint } = identity
    const client = recordClient(given, identity.given)
    /** Reports how a request is answered that does not run. */
    const told = <Reason extends 'replayed' | 'in-flight' | 'payload-mismatch'>(
      reason: Reason,
    ): { reason: Reason } => {
      client.emit?.({ kind: 'claim', keys: [key], type: reason })
      return { reason }
    }
    const { ttl = client.ttl } = options
    checkTtl('ttl', ttl, client)
    const store = await forRequest(options.store, scope.args)
    // A wrong one is found before the handler runs.
    if (options.store !== undefined) checkStore('store', store)
    const elapsed = stopwatch(client.clock)
    const hold = holdOf(scope, limits, options)
    // Half of what the platform has left is for the nodes, and for the answer itself.
    const timeLeft = (limit: number): number => Math.min(limit, scope.platform.remainingTime() / 2)

    const replay = async (record: StoredRecord): Promise<Answer> => {
      if (record.fingerprint !== fingerprint) return refuse(told('payload-mismatch'))
      const limit = Math.min(maxPatience, Math.max(minPatience, hold.wait - elapsed()))
      const read = await readResponse(record.content, resolved.headers, store, timeLeft(limit))
      if (read === 'unavailable') return refuse({ reason: read, ...lookAgain, detail: unreadable })
      if (typeof read === 'string') return refuse({ reason: read })
      told('replayed')
      return { response: read, isOwn: false }
    }
    const refuseHeld = (other: string | undefined): Promise<Answer> =>
      other !== undefined && other !== fingerprint
        ? refuse(told('payload-mismatch'))
        : refuse({ ...told('in-flight'), ...lookAgain })

    const result = await claim({ client, key, fingerprint, ttl, waitUntil }, hold)
    if (result.state !== 'claimed') {
      if (result.state === 'unavailable') {
        return { reason: result.state, retryAfter: result.retryAfter }
      }
      return async () => {
        try {
          return await (result.state === 'recorded'
            ? replay(result.record)
            : refuseHeld(result.fingerprint))
        } finally {
          await visit.drain()
        }
      }
    }

    const { claim: own } = result
    const finish = visit.keepAlive()
    const recordLimits = { ...resolved, store, patience: () => timeLeft(maxPatience) }
    const run = async (): ReturnType<typeof runOnce> => {
      own.lock.keepAlive({ ...limits, maxHold: hold.maxHold() })
      return runOnce(own.lock, visit, (made) => readForRecord(made, visit, options, recordLimits))
    }
    return async () => {
      const ran = await run().catch(async (error: unknown) => {
        await finish(own.release())
        throw error
      })
      if (!ran.written) {
        await finish(own.release())
        return visit.own(ran.response)
      }
      const { content, response, problem } = ran.written
      if (problem) client.warn?.(problem)
      const completed = await own.complete({ fingerprint, content, ttl: recordTtl })
      await finish(undefined)
      if (completed.state === 'unavailable') {
        return refuse({ reason: 'answer-not-recorded', ...lookAgain, response })
      }
      if (completed.state === 'recorded' && completed.record.content === content) {
        return visit.own(response)
      }
      // Another has answered the request meanwhile, and all clients get the same answer.
      discard(response)
      return completed.state === 'held'
        ? refuseHeld(completed.fingerprint)
        : replay(completed.record)
    }
  }

  return {
    kind: 'claim',
    options,
    refusals: idempotentRefusals,
    readsAnswer: true,
    keyOf,
    enter,
  }
}
