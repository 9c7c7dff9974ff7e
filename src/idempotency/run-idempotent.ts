import { backgroundOf } from '../http/background.ts'
import { checkedRedlock, forRequest } from '../http/options.ts'
import type { RequestScope } from '../http/request-scope.ts'
import { callWithin, locksOf } from '../http/request-locks.ts'
import type { Lock } from '../lock/lock.ts'
import { claim, recordClient } from '../records/claim.ts'
import type { RecordKey } from '../records/record-lease.ts'
import type { StoredRecord } from '../records/metadata.ts'
import { assertOption, checkTtl } from '../util/validate.ts'
import { stopwatch } from '../util/clock.ts'
import { readAnswer } from './answer.ts'
import type { HttpInput } from './http-input.ts'
import { identify } from './identify.ts'
import { type IdempotencyOptions, isBodyStore, type Resolved } from './options.ts'
import type { BodyStore } from './body-store.ts'
import {
  makeRefusal,
  refusalResponse,
  type RefusalReason,
  type RequestRefusal,
} from './refusals.ts'
import { claimAround, drop, type Handler, type Ran, readForRecord, runOnce } from './run-once.ts'

type Scope<Args extends readonly unknown[], T> = RequestScope<Args, IdempotencyOptions<Args, T>>

// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
const safeMethods = /^(GET|HEAD|OPTIONS|TRACE)$/i

// Ms that a store has for the body of an answer, and at least for that of a replay, which may have no `wait`.
const [maxPatience, minPatience] = [15_000, 2_000]

// Ms after which a client is to look again for an answer. The claim is extended, so its end says nothing.
const lookAgainAfter = 1000

const unreadable =
  'The request has been processed, but its answer cannot be read now. Please try again with the same key.'

/** The store of a request. A wrong one is found before the handler runs. */
const storeFor = async <Args extends readonly unknown[], T>(
  { store: option }: IdempotencyOptions<Args, T>,
  args: Args,
): Promise<BodyStore | undefined> => {
  if (option === undefined) return undefined
  const store = await forRequest(option, args)
  const expected = 'a function that returns a store, such as kvStore(binding)'
  assertOption(isBodyStore(store), 'store', expected, store)
  return store
}

/**
 * Answers a request by its handler, by the recorded answer to the same request, or by a refusal.
 *
 * The answer of the handler is sent once its record is on a quorum of nodes. A request whose answer is
 * not recorded is released, also when the handler throws or the body of its answer fails.
 */
export const runIdempotent = async <Args extends readonly unknown[], T>(
  scope: Scope<Args, T>,
  resolved: Resolved,
  input: HttpInput,
  handler: Handler<T>,
): Promise<T | Response> => {
  const { options, args, accept, platform, request } = scope
  const { limits, recordTtl } = resolved
  const held = locksOf(scope.ids)
  const run = (lock: Lock | undefined): Promise<T> => callWithin(held, () => handler.run(lock))
  const outer = claimAround(held)
  if (outer || safeMethods.test(input.method)) return run(outer)
  const refuse = async (
    reason: RefusalReason,
    more?: Partial<Omit<RequestRefusal, 'reason' | 'status'>>,
  ): Promise<Response> => {
    const refusal = makeRefusal(reason, options.statuses, more)
    const given = await options.onRefused?.(...args, refusal)
    const fits = given === undefined || given instanceof Response
    const expected = 'a function that returns a Response or undefined'
    assertOption(fits, 'onRefused', expected, given)
    if (given) return given
    // It may be a part of what is given, and is dropped only if nothing is.
    if (refusal.response) drop(refusal.response)
    return refusalResponse(refusal, accept())
  }
  const identity = await identify(scope, resolved, input)
  if (identity === 'pass') return run(undefined)
  if (Array.isArray(identity)) {
    const [reason, detail] = identity
    return refuse(reason, detail === undefined ? {} : { detail })
  }
  const { key, fingerprint } = identity
  // A copy of the request, as `app.mount()` makes it, would wait for the claim around it.
  const same = held.find(({ keys }) => keys[0] === key)
  if (same) return run(same)
  const client = recordClient(checkedRedlock(await forRequest(options.redlock, args)).client())
  const { ttl = client.ttl } = options
  checkTtl('ttl', ttl, client)
  const store = await storeFor(options, args)
  const [waitUntil, holdOpen, settled] = backgroundOf(scope)
  const named: RecordKey = { client, key, fingerprint, ttl, waitUntil }
  // Half of what the platform has left is for the nodes, and for the answer itself.
  const timeLeft = (limit: number): number => Math.min(limit, platform.remainingTime() / 2)
  const elapsed = stopwatch(client.clock)
  const replay = async (record: StoredRecord): Promise<Response> => {
    if (record.fingerprint !== fingerprint) return refuse('other-payload')
    const limit = Math.min(maxPatience, Math.max(minPatience, wait - elapsed()))
    const answer = await readAnswer(record.content, resolved.headers, store, timeLeft(limit))
    if (answer instanceof Response) return answer
    return answer === 'not-kept'
      ? refuse(answer)
      : refuse('unavailable', { retryAfter: lookAgainAfter, detail: unreadable })
  }
  const refuseHeld = (other: string | undefined): Promise<Response> =>
    other !== undefined && other !== fingerprint
      ? refuse('other-payload')
      : refuse('in-flight', { retryAfter: lookAgainAfter })

  // Neither the wait nor the claim may outlast the function.
  const maxHold = (): number => Math.max(0, Math.min(limits.maxHold, platform.remainingTime()))
  const wait = Math.min(options.wait ?? 0, maxHold())
  // A client that disconnects stops waiting.
  const signal = wait > 0 ? request?.signal : undefined
  const result = await claim(named, { wait, signal, maxHold })
  if (result.state !== 'claimed') {
    try {
      if (result.state === 'recorded') return await replay(result.record)
      if (result.state === 'held') return await refuseHeld(result.fingerprint)
      return await refuse('unavailable', { retryAfter: result.retryAfter })
    } finally {
      await settled()
    }
  }

  const { claim: own } = result
  const finish = holdOpen()
  const answers = { ...resolved, store, patience: () => timeLeft(maxPatience) }
  let ran: Ran<T>
  try {
    own.lock.keepAlive({ ...limits, maxHold: maxHold() })
    ran = await runOnce(own.lock, held, run, (answer) =>
      readForRecord(answer, handler.responseOf, options, args, answers),
    )
  } catch (error) {
    await finish(own.release())
    throw error
  }
  const { answer, written } = ran
  if (!written) {
    await finish(own.release())
    return answer
  }
  const { content, response } = written
  if (written.problem) client.warn?.(written.problem)
  const completed = await own.complete({ fingerprint, content, ttl: recordTtl })
  await finish(undefined)
  if (completed.state === 'unavailable') {
    return refuse('not-recorded', { retryAfter: lookAgainAfter, response })
  }
  if (completed.state === 'recorded' && completed.record.content === content) {
    return handler.answerOf(answer, response)
  }
  // Another has answered the request meanwhile, and all clients get the same answer.
  drop(response)
  return completed.state === 'held' ? refuseHeld(completed.fingerprint) : replay(completed.record)
}
