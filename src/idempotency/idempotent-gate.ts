import type { InterceptedClient } from '../core/lock/acquire.ts'
import { discard } from '../requests/discard.ts'
import { idempotentRejections } from '../requests/rejections.ts'
import { type Background, type Hold, holdOf } from '../requests/background.ts'
import {
  type HandledResponse,
  forRequest,
  type Gate,
  type GateRejection,
  setEndAside,
  type Visit,
  withinBudget,
} from '../requests/with-request.ts'
import type { Lock } from '../core/lock/lock.ts'
import { type Claim, claim, recordClient } from '../core/claim/claim.ts'
import type { StoredRecord } from '../core/claim/reading.ts'
import type { Completion } from '../core/claim/propose.ts'
import { clientOf } from '../client/redlock.ts'
import { worthRetryAfter } from '../core/results/results.ts'
import { minStorePatience, storePatience } from '../core/retry/times.ts'
import { type Waiting, waitingFor } from '../core/retry/waiting.ts'
import { warnOfSeconds } from '../util/validate.ts'
import { type BodyStore, checkStore } from './stores/body-store.ts'
import { countEndpoints, hasRunElsewhere, newEndpoint, noteRun, sharedPath } from './endpoints.ts'
import { type Identity, identify } from './identify.ts'
import { type IdempotencyGateOptions, type Resolved, resolveIdempotency } from './options.ts'
import { lookAgain, readResponse } from './recorded-response.ts'
import { claimAround, type HandlerRun, runHandler } from './run-handler.ts'

// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
const safeMethods = /^(GET|HEAD|OPTIONS|TRACE)$/i

// A quarter of the requests is kept for locks and other calls inside.
const innerShare = 0.25

/** A request with a key, and everything that is needed to claim and answer it. */
type KeyedRequest = {
  readonly original: Request
  readonly background: Background
  readonly resolved: Resolved
  readonly endpoint: number
  /** How many endpoints there were when the request began. */
  readonly endpoints: number
  readonly key: string
  readonly fingerprint: string
  readonly client: InterceptedClient
  /** Ms that a claim lives unless it is extended. */
  readonly ttl: number
  readonly store: BodyStore | undefined
  readonly hold: Hold
  /** The wait for the claim. */
  readonly waiting: Waiting
  /** The ms of a limit that the store gets. */
  readonly patience: (limit: number) => number
  /** Runs the handler under the lock of the claim. */
  readonly run: (lock: Lock) => Promise<HandlerRun>
}

/** Collects everything that a request needs, once its key is known. @throws if an option for this request is wrong. */
const prepareRequest = async <Args extends readonly unknown[], T>(
  visit: Visit<Args>,
  { given, key, fingerprint }: Identity,
  endpoint: number,
  options: IdempotencyGateOptions<Args, T>,
  resolved: Resolved,
): Promise<KeyedRequest> => {
  const { scope } = visit
  const { args, platform } = scope
  const endpoints = countEndpoints()
  const shared = clientOf(await forRequest(options.redlock, args))
  warnOfSeconds(shared, options)
  const client = withinBudget(recordClient(shared, given), visit, innerShare)
  const store = await forRequest(options.store, args)
  // A wrong store is reported before the handler runs.
  if (options.store !== undefined) checkStore('store', store)
  // Half of the platform's remaining time is for the nodes, and for the answer itself.
  const patience = (limit: number): number => Math.min(limit, platform.remainingTime() / 2)
  const hold = holdOf(scope, resolved.limits, options.wait)
  const recordLimits = { ...resolved, store, patience: () => patience(storePatience) }
  return {
    original: scope.request,
    background: visit,
    resolved,
    endpoint,
    endpoints,
    key,
    fingerprint,
    client,
    ttl: options.ttl ?? client.ttl,
    store,
    hold,
    waiting: waitingFor(client.clock, hold.wait),
    patience,
    run: (lock) => runHandler(lock, visit, options, recordLimits),
  }
}

/** Reports the answer to a request that does not run. */
const report = (
  { client, key }: KeyedRequest,
  type: 'replayed' | 'in-flight' | 'payload-mismatch',
): void => client.emit?.({ kind: 'claim', keys: [key], type })

/** The route of a request, for a message. Parts of its path that may be an ID or a secret are left out. */
const routeOfRequest = ({ method, url }: Request): string => {
  const parts = new URL(url).pathname.split('/').slice(0, 8)
  return `${method} ${parts.map((part) => (/^[a-z_-]{0,24}$/i.test(part) ? part : ':id')).join('/')}`
}

/** Reports a run without a record. A failed run also causes a warning, once per route. */
const reportNotRecorded = (
  { client, key, original }: KeyedRequest,
  reason: NonNullable<HandlerRun['notRecorded']>,
): void => {
  client.emit?.({ kind: 'claim', keys: [key], type: 'not-recorded', reason })
  if (reason !== 'failed') return
  const route = routeOfRequest(original)
  const text =
    `the handler of ${route} failed, so nothing was recorded, and a repeated request runs it again: ` +
    "set `failures: 'replay'` if that does harm"
  client.warn?.('ERL16', text, `failed ${route}`)
}

/** Whether the record or claim that was found belongs to a request with the same key, but another payload. */
const isOtherPayload = ({ fingerprint }: KeyedRequest, found: Completion): boolean => {
  const other = found.state === 'recorded' ? found.record.fingerprint : found.fingerprint
  return other !== undefined && other !== fingerprint
}

/** Answers with a record. */
const replay = async (
  request: KeyedRequest,
  { content }: StoredRecord,
): Promise<HandledResponse | GateRejection> => {
  const { background, resolved, store, waiting, patience } = request
  const limit = Math.min(storePatience, Math.max(minStorePatience, waiting.left()))
  const read = await readResponse(content, resolved.headers, store, patience(limit))
  if ('reason' in read) return read
  report(request, 'replayed')
  await background.drain()
  return { ...read, isOwn: false }
}

/** Answers in place of the handler, or replaces the answer that it has just made. */
const answerBy = async (
  request: KeyedRequest,
  found: Completion,
): Promise<HandledResponse | GateRejection> => {
  if (found.state === 'unavailable') {
    return { reason: 'unavailable', retryAfter: found.retryAfter }
  }
  if (isOtherPayload(request, found)) {
    report(request, 'payload-mismatch')
    return { reason: 'payload-mismatch' }
  }
  const { client, key, endpoint } = request
  if (hasRunElsewhere(key, endpoint, client.cache)) client.warn?.('ERL24', sharedPath)
  if (found.state === 'recorded') return replay(request, found.record)
  report(request, 'in-flight')
  return { reason: 'in-flight', retryAfter: worthRetryAfter(found, request.waiting.elapsed()) }
}

/** A run under a claim, and the outcome of its record; undefined if it has none. */
type RecordedRun = { readonly run: HandlerRun; readonly completed: Completion | undefined }

/** Runs the handler under a claim, then replaces the claim with a record of the response, or releases it. */
const runClaimed = async (
  request: KeyedRequest,
  { lock, complete }: Claim,
): Promise<RecordedRun> => {
  const { background, resolved, endpoint, endpoints, key, fingerprint, client, hold } = request
  const takeBack = setEndAside(client)
  const finish = background.keepAlive()
  let completed: Completion | undefined
  try {
    lock.keepAlive({ ...resolved.limits, maxHold: hold.timeLeft() })
    const run = await request.run(lock)
    const { content, problem } = run.written
    if (problem) client.warn?.('ERL14', problem)
    takeBack()
    if (content !== undefined) {
      noteRun(key, { endpoint, endpoints, nodes: client.cache })
      completed = await complete({ fingerprint, content, ttl: resolved.recordTtl })
    }
    return { run, completed }
  } finally {
    takeBack()
    await finish(completed ?? lock.release())
  }
}

/**
 * Answers with the response of the handler, unless its record is uncertain or another one was stored. @throws the error
 * of the handler.
 */
const answerAfterRun = async (
  request: KeyedRequest,
  { run, completed }: RecordedRun,
): Promise<HandledResponse | GateRejection> => {
  const { written, failure } = run
  const { response, content } = written
  const isUnknown = completed?.state === 'unavailable'
  const notRecorded = failure && isUnknown ? 'failed' : run.notRecorded
  if (notRecorded) reportNotRecorded(request, notRecorded)
  if (failure) throw failure.error
  if (isUnknown) return { reason: 'response-not-recorded', ...lookAgain, response }
  const isOwn = completed?.state === 'recorded' && completed.record.content === content
  if (!completed || isOwn) return { response, isOwn: true }
  // Another process has answered the request meanwhile, and all clients get the same answer.
  discard(response)
  return answerBy(request, completed)
}

/**
 * Answers a request with its handler, or with the recorded answer to the same request.
 *
 * The answer of the handler is sent once a quorum of nodes has its record. If the answer is not recorded, for example
 * because the handler throws, the claim is released.
 *
 * @param call - The name of the function that was called with the options.
 */
export const idempotentGate = <Args extends readonly unknown[], T>(
  call: string,
  options: IdempotencyGateOptions<Args, T>,
): Gate<Args> => {
  const resolved = resolveIdempotency(call, options)
  const endpoint = newEndpoint()

  const enter: Gate<Args>['enter'] = async (visit) => {
    const { scope, held, pass, waitUntil } = visit
    const outer = claimAround(held)
    if (outer || safeMethods.test(scope.request.method)) return pass(outer)
    const identity = await identify(scope, options, resolved)
    if (!identity) return pass()
    if ('reason' in identity) return identity
    // A copy of the request, as `app.mount()` makes it, would wait for the claim around it.
    const same = held.find(({ keys }) => keys[0] === identity.key)
    if (same) return pass(same)

    const request = await prepareRequest(visit, identity, endpoint, options, resolved)
    const { client, key, fingerprint, ttl, hold } = request
    const result = await claim({ client, key, fingerprint, ttl, waitUntil }, hold)
    if (result.state !== 'claimed') return answerBy(request, result)
    return answerAfterRun(request, await runClaimed(request, result.claim))
  }

  return { kind: 'claim', options, rejections: idempotentRejections, readsAnswer: true, enter }
}
