import { backgroundOf } from '../http/background.ts'
import { checkedRedlock, forRequest } from '../http/options.ts'
import type { RequestScope } from '../http/request-scope.ts'
import type { Lock } from '../lock/lock.ts'
import { claim, type Claim, recordClient } from '../records/claim.ts'
import type { RecordKey } from '../records/record-lease.ts'
import type { StoredRecord } from '../records/metadata.ts'
import { assertOption, checkTtl } from '../util/validate.ts'
import { warnOnce } from '../util/warn-once.ts'
import { readAnswer, unreadableAnswer, writeAnswer, type Written } from './answer.ts'
import type { HttpInput } from './http-input.ts'
import { identify } from './identify.ts'
import { type IdempotencyOptions, isLasting, isRecordStore, type Resolved } from './options.ts'
import type { RecordStore } from './record-store.ts'
import {
  makeRefusal,
  refusalResponse,
  type RefusalReason,
  type RequestRefusal,
} from './refusals.ts'

/** The handler of a request, and how to read its answers. */
export type Handler<T> = {
  /** Runs it. The lock is undefined for a request that is not claimed. */
  readonly run: (lock: Lock | undefined) => Promise<T>
  /** The response that its answer stands for; undefined for what cannot be recorded. */
  readonly responseOf: (answer: T) => Response | undefined
  /** The answer to send, given the response that was read for the record. */
  readonly answerOf: (answer: T, response: Response) => T
}

type Scope<Args extends readonly unknown[], T> = RequestScope<Args, IdempotencyOptions<Args, T>>

// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
const safeMethods = /^(GET|HEAD|OPTIONS|TRACE)$/i

// Ms after which a client is to look again for an answer. The claim is extended, so its end says nothing.
const lookAgainAfter = 1000

// Requests whose handlers run. A second middleware around the same handler must not wait for the first.
const inside = new WeakSet<object>()

const unreadable =
  'The request has been processed, but its answer cannot be read now. Please try again with the same key.'

/** The store of a request. A wrong one is found before the handler runs. */
const storeFor = async <Args extends readonly unknown[], T>(
  { store: option }: IdempotencyOptions<Args, T>,
  args: Args,
): Promise<RecordStore | undefined> => {
  if (option === undefined) return undefined
  const store = await forRequest(option, args)
  const expected = 'a function that returns a store, such as kvStore(binding)'
  assertOption(isRecordStore(store), 'store', expected, store)
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
  { run, responseOf, answerOf }: Handler<T>,
): Promise<T | Response> => {
  const { options, args, ids, accept, platform, request } = scope
  const { limits, recordTtl } = resolved
  if (safeMethods.test(input.method) || ids.some((id) => inside.has(id))) return run(undefined)
  const refuse = async (
    reason: RefusalReason,
    more?: Partial<Omit<RequestRefusal, 'reason' | 'status'>>,
  ): Promise<Response> => {
    const refusal = makeRefusal(reason, options.statuses, more)
    const given = await options.onRefused?.(...args, refusal)
    const fits = given === undefined || given instanceof Response
    const expected = 'a function that returns a Response or undefined'
    assertOption(fits, 'onRefused', expected, given)
    return given ?? refusalResponse(refusal, accept())
  }
  const identity = await identify(scope, resolved, input)
  if (identity === 'pass') return run(undefined)
  if (Array.isArray(identity)) {
    const [reason, detail] = identity
    return refuse(reason, detail === undefined ? {} : { detail })
  }
  const client = recordClient(checkedRedlock(await forRequest(options.redlock, args)).client())
  const { ttl = client.ttl } = options
  checkTtl('ttl', ttl, client)
  const store = await storeFor(options, args)
  const background = backgroundOf(scope)
  const { key, fingerprint } = identity
  const named: RecordKey = { client, key, fingerprint, ttl, waitUntil: background.add }
  const replay = async (record: StoredRecord): Promise<Response> => {
    if (record.fingerprint !== fingerprint) return refuse('other-payload')
    const answer = await readAnswer(record.content, store)
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
      await background.settled()
    }
  }

  const { claim: own } = result
  const finish = background.holdOpen()
  const write = async (answer: T): Promise<Written | undefined> => {
    let response: Response | undefined
    try {
      response = responseOf(answer)
    } catch {
      return unreadableAnswer()
    }
    if (!response || !(await isRecorded(options, args, answer, response))) return undefined
    return writeAnswer(response, { ...resolved, store, ttl: recordTtl })
  }
  for (const id of ids) inside.add(id)
  let ran: Ran<T>
  try {
    own.lock.keepAlive({ ...limits, maxHold: maxHold() })
    ran = await runOnce(own, run, write)
  } catch (error) {
    await finish(own.release())
    throw error
  } finally {
    for (const id of ids) inside.delete(id)
  }
  const { answer, written } = ran
  if (!written) {
    await finish(own.release())
    return answer
  }
  const { content, response } = written
  if (written.problem && client.warns) warnOnce(written.problem)
  const completed = await own.complete({ fingerprint, content, ttl: recordTtl })
  await finish(Promise.resolve())
  if (completed.state === 'unavailable') {
    const refused = await refuse('not-recorded', { retryAfter: lookAgainAfter, response })
    if (refused !== response) drop(response)
    return refused
  }
  if (completed.state === 'recorded' && completed.record.content === content) {
    return answerOf(answer, response)
  }
  // Another has answered the request meanwhile, and all clients get the same answer.
  drop(response)
  return completed.state === 'held' ? refuseHeld(completed.fingerprint) : replay(completed.record)
}

/** Cancels the body of a response that is not sent. */
const drop = (response: Response): void => {
  if (!response.bodyUsed) response.body?.cancel().catch(() => {})
}

/** Whether to record an answer. The function `record` gets a copy, whose body it may read. */
const isRecorded = async <Args extends readonly unknown[], T>(
  { record }: IdempotencyOptions<Args, T>,
  args: Args,
  answer: T,
  response: Response,
): Promise<boolean> => {
  if (!record) return isLasting(response)
  if (!(answer instanceof Response)) return record(answer, ...args)
  const copy = answer.clone()
  try {
    return await record(copy as T, ...args)
  } finally {
    drop(copy)
  }
}

type Ran<T> = { readonly answer: T; readonly written: Written | undefined }

/** Runs the handler, with a handle of its own on the lock, and reads its answer for the record. */
const runOnce = async <T>(
  { lock }: Claim,
  run: Handler<T>['run'],
  write: (answer: T) => Promise<Written | undefined>,
): Promise<Ran<T>> => {
  // The claim outlives a handler that releases the lock.
  const handle = lock.reenter()
  try {
    const answer = await run(handle)
    return { answer, written: await write(answer) }
  } finally {
    await handle.release()
  }
}
