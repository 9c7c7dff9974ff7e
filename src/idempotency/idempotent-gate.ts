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

// The share of the remaining requests that is kept for locks and other calls in the handler.
const innerShare = 0.25

/** A request with a key, and everything that claiming and handling it requires. */
type KeyedRequest = {
  readonly original: Request
  readonly background: Background
  readonly resolved: Resolved
  readonly endpoint: number
  /** The number of endpoints when the request began. */
  readonly endpoints: number
  readonly key: string
  readonly fingerprint: string
  readonly client: InterceptedClient
  /** How long a claim lives without an extension, in ms. */
  readonly ttl: number
  readonly store: BodyStore | undefined
  readonly hold: Hold
  /** The wait for the claim. */
  readonly waiting: Waiting
  /** Shortens a time limit for the store to what the platform's remaining time allows, in ms. */
  readonly patience: (limit: number) => number
  /** Runs the handler under the lock of the claim. */
  readonly run: (lock: Lock) => Promise<HandlerRun>
}

/** Prepares a request whose key is known. @throws if an option that depends on the request is invalid. */
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
  // Report an invalid store before the handler runs.
  if (options.store !== undefined) checkStore('store', store)
  // The other half of the platform's remaining time is for the nodes and for sending the response.
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

/** Emits an event for a request whose handler does not run. */
const report = (
  { client, key }: KeyedRequest,
  type: 'replayed' | 'in-flight' | 'payload-mismatch',
): void => client.emit?.({ kind: 'claim', keys: [key], type })

/** The route of a request, for a warning. Path segments that may contain an ID or a secret become `:id`. */
const routeOfRequest = ({ method, url }: Request): string => {
  const parts = new URL(url).pathname.split('/').slice(0, 8)
  return `${method} ${parts.map((part) => (/^[a-z_-]{0,24}$/i.test(part) ? part : ':id')).join('/')}`
}

/** Emits an event for a run without a record. If the run failed, also warns, once per route. */
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

/** Whether the existing record or claim belongs to a request with the same key but a different payload. */
const isOtherPayload = ({ fingerprint }: KeyedRequest, found: Completion): boolean => {
  const other = found.state === 'recorded' ? found.record.fingerprint : found.fingerprint
  return other !== undefined && other !== fingerprint
}

/** Replays a recorded response. */
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

/** Responds with what the nodes returned, instead of running the handler or in place of its response. */
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

/** A run under a claim, and the outcome of recording its response; undefined if nothing was to be recorded. */
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
 * Responds with the handler's response, unless its record is uncertain or another response was recorded. @throws the
 * handler's error.
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
  // Another process has recorded its response meanwhile, and every client must receive the same one.
  discard(response)
  return answerBy(request, completed)
}

/**
 * Runs the handler for a request, or replays the recorded response to the same request.
 *
 * The handler's response is sent once a quorum of nodes has recorded it. If the response is not recorded, for example
 * because the handler throws, the claim is released.
 *
 * @param call - The name of the public function that received the options, for error messages.
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
    // If `app.mount()` copied the request, the outer middleware holds this claim. Waiting for it would be a deadlock.
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
