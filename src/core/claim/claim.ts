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
  /** The lock of the claim. Its release ends the claim without a record: the request can then be processed again. */
  readonly lock: Lock
  /**
   * Writes the record to a quorum, and ends the claim. If another claim has completed the request meanwhile, it returns
   * that record.
   *
   * @param mayRenew - Whether it may request another token if the first one is rejected. Default: for the TTL.
   */
  readonly complete: (draft: Draft, mayRenew?: () => boolean) => Promise<Completion>
}

/** The outcome of asking for the right to process a request. */
export type ClaimResult =
  | { readonly state: 'claimed'; readonly claim: Claim }
  | Recorded
  | Unclaimed

export type ClaimOptions = {
  /** Ms to wait while another client processes the request. */
  readonly wait: number
  readonly signal?: AbortSignal | undefined
  /** The maximum TTL of the claim, in ms. */
  readonly maxHold?: number | undefined
  /** Reads the ms for which the caller can still hold the claim. */
  readonly timeLeft?: (() => number) | undefined
  /** Whether the caller lets an outage pass: it is then reported as `failed-open`. */
  readonly failOpen?: boolean | undefined
}

/**
 * The client for claims. It has separate queues, since a lock may have the same key.
 *
 * @param key - The key of the request in events.
 */
export const recordClient = (client: InterceptedClient, key?: string): InterceptedClient => {
  const { emit } = client
  // The metadata of a record is the answer.
  const tell = (event: LockEvent): void =>
    emit!({
      ...event,
      key,
      ...('nodes' in event && { nodes: withoutMetadata(event.nodes) }),
    })
  return { ...inGroup(client, 'records'), emit: emit && tell }
}

/** How a claim ends with its record. */
const endOf = ({ state }: Completion): ReleaseResult =>
  state === 'recorded' ? 'released' : 'unconfirmed'

const makeClaim = (request: RecordKey, lock: Lock): Claim => {
  const { client, ttl } = request
  // Requested early: the claim may be lost by the time that the request has been processed.
  const token = lock.fencingToken().catch(() => undefined)
  return {
    lock,
    complete: async (draft, mayRenew = () => true) => {
      const { elapsed, left } = waitingFor(client.clock, ttl)
      const state = lock.state()
      const complete = async (): Promise<Completion> =>
        settle(request, {
          // The lease of the claim: a node that rejects the record may still have the claim.
          own: state.lease,
          // An extension may have raised the counters of the nodes above the first token.
          token: confirmedToken(state.answers, client.quorum) ?? (await token),
          draft,
          waiting: waitingWhile(client.clock, () => (mayRenew() ? left() : 0)),
        })
      const completing = complete()
      // If an extension finds the record in place of the claim, the lock is not lost.
      state.releasing = completing.then(endOf, () => 'unconfirmed')
      const completed = await completing
      // A record has replaced the claim, so it needs no release.
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

/** Gets a record that some nodes have to a quorum. `elapsed` reads the ms since they were asked. */
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
    // Nodes that answer later than a quorum get about as much time again.
    const patience = Math.min(2 * elapsed() + minLatePatience, maxLatePatience)
    if (answers.includes(undefined)) await sleep(clock, patience)
    const lacking = [seen, answers].flatMap((all) => nodesWithout(all, decided))
    await heal(request, decided, [...new Set(lacking)])
  }
  defer(request.waitUntil, healAll())
  return { state: 'recorded', record }
}

/**
 * The rule of a claim. A claim that finds a record anywhere is released, once the answers show whether a quorum has the
 * record. Otherwise, all nodes would have to be asked again.
 */
const claimRule: Rule<CallOutcome> = (round, now) => {
  const { quorum } = round.plan
  if (!round.answers.some((answer) => recordOf(answer))) return acquireRule(round, now)
  // If a record appears after a quorum has granted the claim, no further node is needed.
  const decide = (answers: Answers): HeldOutcome | undefined =>
    decidedRecord(answers, quorum) || tallyOf(answers).granted >= quorum ? 'confirmed' : undefined
  const step = pollRule(decide)(round, now)
  return 'done' in step ? { ...step, done: 'found' } : step
}

/** The claim of a key, or the answers that contain its record. */
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

/** Reports a call that passes in an outage. An acquisition reports this itself. */
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
  // Waiting for the answer to another payload is useless.
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
    // All waiting calls in this process can now find the record.
    if (isRecorded) notifyAll(client, [key])
    if (isRecorded || left() <= 0 || !client.requests!.affordsRetry(client.nodes.length)) {
      if (failOpen && !isRecorded && settled.mayPass) tellOpen(request, settled, elapsed())
      return settled
    }
    // Another client is settling the record.
    await pause(random() * recordPause)
  }
}

/**
 * Claims a request, or finds its record: one round trip if no other client processes the request. Nodes with a record
 * never grant a claim.
 *
 * @throws the signal's reason; then no claim remains.
 */
export const claim = (request: RecordKey, options: ClaimOptions): Promise<ClaimResult> => {
  const { client, key } = request
  // All requests of the call share one budget, including its later claims.
  const requests = client.requests ?? new Budget(client.budget)
  return intercept({ operation: 'claim', client, key, options: {} }, (call) =>
    claimOrFind({ ...request, client: { ...call.client, requests } }, options),
  )
}
