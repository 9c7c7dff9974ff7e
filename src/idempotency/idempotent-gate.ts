import type { InterceptedClient } from '../acquire/acquire.ts'
import { discard } from '../http/discard.ts'
import { idempotentRefusals } from '../http/refusals.ts'
import { holdOf } from '../http/background.ts'
import {
  type Answer,
  forRequest,
  type Gate,
  type Refused,
  setEndAside,
  withinBudget,
} from '../http/with-request.ts'
import { claim, recordClient } from '../records/claim.ts'
import type { Completion } from '../records/settle.ts'
import { clientOf } from '../redlock.ts'
import { worthRetryAfter } from '../reports/results.ts'
import { stopwatch } from '../util/clock.ts'
import { warnOfSeconds } from '../util/validate.ts'
import { checkStore } from '../stores/body-store.ts'
import { countEndpoints, hasRunElsewhere, newEndpoint, noteRun, sharedPath } from './endpoints.ts'
import { identify } from './identify.ts'
import { type IdempotencyOptions, resolveOptions } from './options.ts'
import { lookAgain, readResponse } from './recorded-response.ts'
import { claimAround, type Run, runHandler } from './run-handler.ts'

// https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1
const safeMethods = /^(GET|HEAD|OPTIONS|TRACE)$/i

// Ms that a store has for the body of an answer, and at least for that of a replay, which may have no `wait`.
const [maxPatience, minPatience] = [15_000, 2_000]

// A quarter of the requests are for what is inside, such as a lock.
const innerShare = 0.25

/** The route of a request for a message: what may be an id or a secret in its path is left out. */
const routeOf = ({ method, url }: Request): string => {
  const parts = new URL(url).pathname.split('/').slice(0, 8)
  return `${method} ${parts.map((part) => (/^[a-z_-]{0,24}$/i.test(part) ? part : ':id')).join('/')}`
}

/** Says that a failed run left nothing to replay, once per route. */
const warnOfFailure = ({ warn }: InterceptedClient, request: Request): void => {
  const route = routeOf(request)
  const text =
    `the handler of ${route} failed, so nothing was recorded, and a repeated request runs it again: ` +
    "set `failures: 'replay'` if that does harm"
  warn?.(text, `failed ${route}`)
}

/**
 * Answers a request by its handler, or by the recorded answer to the same request.
 *
 * The answer of the handler is sent once its record is on a quorum of nodes. A request whose answer is
 * not recorded is released, such as that of a handler that throws.
 *
 * @param call - The function that was called with the options.
 */
export const idempotentGate = <Args extends readonly unknown[], T>(
  call: string,
  options: IdempotencyOptions<Args, T>,
): Gate<Args> => {
  const resolved = resolveOptions(call, options)
  const { limits, recordTtl } = resolved
  const endpoint = newEndpoint()

  const enter: Gate<Args>['enter'] = async (visit) => {
    const { scope, held, pass, waitUntil } = visit
    const outer = claimAround(held)
    if (outer || safeMethods.test(scope.request.method)) return pass(outer)
    const identity = await identify(scope, options, resolved)
    if (!identity) return pass()
    if ('reason' in identity) return identity
    const { key, fingerprint } = identity
    // A copy of the request, as `app.mount()` makes it, would wait for the claim around it.
    const same = held.find(({ keys }) => keys[0] === key)
    if (same) return pass(same)

    const endpoints = countEndpoints()
    const given = clientOf(await forRequest(options.redlock, scope.args))
    warnOfSeconds(given, options)
    const client = withinBudget(recordClient(given, identity.given), visit, innerShare)
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
      if (hasRunElsewhere(key, endpoint, client.cache)) client.warn?.(sharedPath)
      if (!isRecorded)
        return { ...told('in-flight'), retryAfter: worthRetryAfter(found, elapsed()) }
      const limit = Math.min(maxPatience, Math.max(minPatience, hold.wait - elapsed()))
      const { content } = found.record
      const read = await readResponse(content, resolved.headers, store, timeLeft(limit))
      if ('reason' in read) return read
      told('replayed')
      await visit.drain()
      return { ...read, isOwn: false }
    }

    const result = await claim({ client, key, fingerprint, ttl, waitUntil }, hold)
    if (result.state !== 'claimed') return answerBy(result)

    const { claim: own } = result
    const takeBack = setEndAside(client)
    const finish = visit.keepAlive()
    const recordLimits = { ...resolved, store, patience: () => timeLeft(maxPatience) }
    let run: Run
    let completed: Completion | undefined
    try {
      own.lock.keepAlive({ ...limits, maxHold: hold.maxHold() })
      run = await runHandler(own.lock, visit, options, recordLimits)
      const { content, problem } = run.written
      if (problem) client.warn?.(problem)
      takeBack()
      if (content !== undefined) {
        noteRun(key, { endpoint, endpoints, nodes: client.cache })
        completed = await own.complete({ fingerprint, content, ttl: recordTtl })
      }
    } finally {
      takeBack()
      await finish(completed ?? own.lock.release())
    }
    const { written, failure } = run
    const isLost = failure && completed?.state === 'unavailable'
    const notRecorded = isLost ? 'failed' : run.notRecorded
    const { response, content } = written
    if (notRecorded) {
      client.emit?.({ kind: 'claim', keys: [key], type: 'not-recorded', reason: notRecorded })
      if (notRecorded === 'failed') warnOfFailure(client, scope.request)
    }
    if (failure) throw failure.error
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
