import { intercept, type InterceptedClient } from '../lock/acquire.ts'
import { runCall } from '../call.ts'
import type { Acquisition } from '../acquisition.ts'
import { Budget } from '../process/budget.ts'
import { createLock } from '../lock/held-lock.ts'
import { end, heldFor } from '../lock/lock-state.ts'
import type { Lock } from '../lock/lock.ts'
import { answered, type Answers, confirmedToken, tallyOf, withoutMetadata } from '../quorum.ts'
import { acquireRule } from '../rules/acquire.ts'
import type { Rule } from '../rule.ts'
import type { CallOutcome, HeldOutcome } from '../outcome.ts'
import { lookUp, pollRule, type RecordKey, recordAttempt, records } from './rounds.ts'
import type { LockEvent } from '../results/events.ts'
import { inGroup, notifyAll, notifyHead } from '../process/wait-queue.ts'
import type { Rejection, ReleaseResult } from '../results/results.ts'
import { type RetryFunction, retryFunction } from '../retry/retry.ts'
import { maxLatePatience, minLatePatience, minRepairTime, recordPause } from '../retry/times.ts'
import { waitingFor, waitingWhile } from '../retry/waiting.ts'
import { defer, sleep, stopwatch } from '../../util/clock.ts'
import { heal } from './repair.ts'
import {
  claimedFingerprint,
  claimMetadata,
  decidedRecord,
  type Draft,
  latestRecord,
  nodesWithout,
  recordOf,
} from './reading.ts'
import { type Completion, type Recorded, settle, type Unclaimed, unclaimedBy } from './propose.ts'

/** The right to process a request, until it is completed or released. */
export type Claim = {
  /** The lock of the claim. Releasing it ends the claim without a record, so the request can be processed again. */
  readonly lock: Lock
  /**
   * Writes the record to a quorum, and ends the claim. If another claim has completed the request in the meantime, this
   * returns that claim's record.
   *
   * @param mayRenew - Whether to request another token after the first one is rejected. In any case, this stops after
   *   one TTL. Default: yes.
   */
  readonly complete: (draft: Draft, mayRenew?: () => boolean) => Promise<Completion>
}

/** The result of a call that claims a request. */
export type ClaimResult =
  | { readonly state: 'claimed'; readonly claim: Claim }
  | Recorded
  | Unclaimed

export type ClaimOptions = {
  /** How long to wait while another client processes the request, in ms. */
  readonly wait: number
  readonly signal?: AbortSignal | undefined
  /** The maximum TTL of the claim, in ms. */
  readonly maxHold?: number | undefined
  /** Returns how long the caller can still hold the claim, in ms. */
  readonly timeLeft?: (() => number) | undefined
  /** Whether the caller lets the request pass in an outage, which is then reported as `failed-open`. */
  readonly failOpen?: boolean | undefined
}

/**
 * The client for claims. Its queues are separate, because a lock can have the same key.
 *
 * @param key - The key of the request, as it appears in events.
 */
export const recordClient = (client: InterceptedClient, key?: string): InterceptedClient => {
  const { emit } = client
  // The metadata of a record contains the recorded response, which events must not expose.
  const tell = (event: LockEvent): void =>
    emit!({
      ...event,
      key,
      ...('nodes' in event && { nodes: withoutMetadata(event.nodes) }),
    })
  return { ...inGroup(client, 'records'), emit: emit && tell }
}

/** The release result of a claim that was completed. */
const endOf = ({ state }: Completion): ReleaseResult =>
  state === 'recorded' ? 'released' : 'unconfirmed'

const makeClaim = (request: RecordKey, lock: Lock): Claim => {
  const { client, ttl } = request
  // Requested early, because the claim may be lost by the time the request has been processed.
  const token = lock.fencingToken().catch(() => undefined)
  return {
    lock,
    complete: async (draft, mayRenew = () => true) => {
      const { elapsed, left } = waitingFor(client.clock, ttl)
      const state = lock.state()
      const complete = async (): Promise<Completion> =>
        settle(request, {
          // The claim's own lease, because a node that rejects the record may still hold the claim.
          own: state.lease,
          // An extension may have raised the counters of the nodes above the first token.
          token: confirmedToken(state.answers, client.quorum) ?? (await token),
          draft,
          waiting: waitingWhile(client.clock, () => (mayRenew() ? left() : 0)),
        })
      const completing = complete()
      // An extension that finds the record in place of the claim must not mark the lock as lost.
      state.releasing = completing.then(endOf, () => 'unconfirmed')
      const completed = await completing
      // The record has replaced the claim, so there is nothing to release.
      end(state)
      // Without a record, the claim can still be released.
      if (completed.state !== 'recorded') delete state.releasing
      notifyHead(client, lock.keys)
      const times = { elapsed: elapsed(), heldFor: heldFor(state) }
      const result = endOf(completed)
      state.lease.subject.emit?.({ type: 'released', id: lock.id, ...times, result })
      return completed
    },
  }
}

/**
 * Ensures that a quorum stores a record that was seen on some nodes. `elapsed` returns the time since those nodes were
 * asked, in ms.
 */
const settleSeen = async (
  request: RecordKey,
  seen: Answers,
  elapsed: () => number,
  left: () => number,
): Promise<Completion> => {
  const { clock, quorum } = request.client
  const begun = elapsed()
  let answers = seen
  let record = decidedRecord(answers, quorum)
  if (!record) {
    answers = await lookUp(recordAttempt(request))
    record = decidedRecord(answers, quorum)
  }
  if (!record) {
    const waiting = waitingWhile(clock, () => Math.max(left(), begun + minRepairTime - elapsed()))
    return settle(request, { draft: latestRecord([...seen, ...answers])!, waiting })
  }
  const decided = record
  const healAll = async (): Promise<void> => {
    // Nodes that answer after the quorum have about as much time again.
    const patience = Math.min(2 * elapsed() + minLatePatience, maxLatePatience)
    if (answers.includes(undefined)) await sleep(clock, patience)
    const lacking = [seen, answers].flatMap((all) => nodesWithout(all, decided))
    await heal(request, decided, [...new Set(lacking)])
  }
  defer(request.waitUntil, healAll())
  return { state: 'recorded', record }
}

/**
 * The rule of a claim. If any node returns a record, the round ends as `found` and releases the claim. The round waits
 * until the answers show whether a quorum has the record, which saves asking all nodes again.
 */
const claimRule: Rule<CallOutcome> = (round, now) => {
  const { quorum } = round.plan
  if (!round.answers.some((answer) => recordOf(answer))) return acquireRule(round, now)
  // If a quorum has granted the claim before a record appears, no further answer is needed.
  const decide = (answers: Answers): HeldOutcome | undefined =>
    decidedRecord(answers, quorum) || tallyOf(answers).granted >= quorum ? 'confirmed' : undefined
  const step = pollRule(decide)(round, now)
  return 'done' in step ? { ...step, done: 'found' } : step
}

/** The claim of a key, or the answers that contain the key's record. */
type Claimed =
  | { readonly ok: true; readonly lock: Lock }
  | { readonly ok: true; readonly seen: Answers }

const claimAcquisition: Acquisition<Claimed> = {
  namespace: records,
  rule: claimRule,
  reports: answered,
  resultOf: (round) =>
    round.outcome === 'found'
      ? { ok: true, seen: round.answers }
      : { ok: true, lock: createLock(round) },
}

/** Reports a call that passes in an outage, unless its acquisition has already reported that. */
export const tellOpen = (
  { client, key }: RecordKey,
  { retryAfter, nodes = [] }: Unclaimed,
  elapsed: number,
): void => {
  const call = { kind: 'claim', type: 'failed-open', keys: [key], attempts: 1, elapsed } as const
  client.emit?.({ ...call, ok: false, reason: 'unavailable', retryAfter, nodes: [...nodes] })
}

const claimOrFind = async (
  request: RecordKey,
  { wait, signal, maxHold, timeLeft, failOpen }: ClaimOptions,
): Promise<ClaimResult> => {
  const { client, key, fingerprint, ttl, waitUntil } = request
  const { clock, random } = client
  const { elapsed, left, pause } = waitingFor(clock, wait, signal)
  const isOther = ({ nodes }: Rejection): boolean =>
    (claimedFingerprint(nodes, client.quorum) ?? fingerprint) !== fingerprint
  const usual = retryFunction(client.retry, random, Infinity)
  // The answer to a different payload is of no use, so there is no point in waiting for it.
  const retry: RetryFunction = (state) => !isOther(state) && usual(state)
  for (;;) {
    const since = stopwatch(clock)
    const metadata = claimMetadata(fingerprint)
    const limits = { wait: left(), maxHold, timeLeft }
    const call = { ...limits, ttl, signal, waitUntil, failOpen, retry, metadata }
    const result = await runCall(client, claimAcquisition, key, call)
    if (!result.ok) return unclaimedBy(result, client)
    if ('lock' in result) return { state: 'claimed', claim: makeClaim(request, result.lock) }
    const settled = await settleSeen(request, result.seen, since, left)
    const isRecorded = settled.state === 'recorded'
    // All waiting calls in this process can now read the record.
    if (isRecorded) notifyAll(client, [key])
    if (isRecorded || left() <= 0 || !client.requests!.affordsRetry(client.nodes.length)) {
      if (failOpen && !isRecorded && settled.mayPass) tellOpen(request, settled, elapsed())
      return settled
    }
    // Another client is writing the record to a quorum.
    await pause(random() * recordPause)
  }
}

/**
 * Claims a request, or finds its record. Without competition, this takes one round trip. A node with a record never
 * grants a claim.
 *
 * @throws the signal's reason; no claim remains then.
 */
export const claim = (request: RecordKey, options: ClaimOptions): Promise<ClaimResult> => {
  const { client, key } = request
  // All rounds of the call share one budget, including those of later claims.
  const requests = client.requests ?? new Budget(client.budget)
  return intercept({ operation: 'claim', client, key, options: {} }, (call) =>
    claimOrFind({ ...request, client: { ...call.client, requests } }, options),
  )
}
