import { intercept, type InterceptedClient } from '../lock/acquire.ts'
import { runCall } from '../call.ts'
import type { Acquisition } from '../acquisition.ts'
import { Budget } from '../process/budget.ts'
import { createLock } from '../lock/held-lock.ts'
import { end, heldFor } from '../lock/lock-state.ts'
import type { Lock } from '../lock/lock.ts'
import type { MaxHold } from '../options/call-options.ts'
import { answered, type Answers, confirmedToken, tallyOf, withoutMetadata } from '../quorum.ts'
import { acquireRule } from '../rules/acquire.ts'
import type { Rule } from '../rule.ts'
import type { CallOutcome, HeldOutcome } from '../outcome.ts'
import { lookUp, pollRule, type RecordKey, recordAttempt, records } from './rounds.ts'
import type { LockEvent } from '../results/events.ts'
import { inGroup, notifyAll, notifyHead } from '../process/wait-queue.ts'
import type { Refusal, ReleaseResult } from '../results/results.ts'
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
  /** The lock of the claim. Its release ends the claim without a record, so that the request can be processed again. */
  readonly lock: Lock
  /**
   * Gets the record to a quorum, and ends the claim. If another has completed the request meanwhile, it
   * returns that record.
   *
   * @param mayRenew - Whether it may ask for another token if the first one is refused. Default: for as long as the ttl.
   */
  readonly complete: (draft: Draft, mayRenew?: () => boolean) => Promise<Completion>
}

/** The outcome of asking for the right to process a request. */
export type ClaimResult =
  | { readonly state: 'claimed'; readonly claim: Claim }
  | Recorded
  | Unclaimed

export type ClaimOptions = {
  /** Ms to wait for another that processes the request. */
  readonly wait: number
  readonly signal?: AbortSignal | undefined
  readonly maxHold?: MaxHold
  /** Whether the caller lets an outage pass: it is then reported as `failed-open`. */
  readonly failOpen?: boolean | undefined
}

/**
 * The client for claims: it has queues of its own, since a lock may have the same key.
 *
 * @param key - What its events name the request by.
 */
export const recordClient = (client: InterceptedClient, key?: string): InterceptedClient => {
  const { emit } = client
  // For a record, the metadata is the answer.
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
  // Asked for early: the claim may be lost by the time that the request has been processed.
  const token = lock.fencingToken().catch(() => undefined)
  return {
    lock,
    complete: async (draft, mayRenew = () => true) => {
      const { elapsed, left } = waitingFor(client.clock, ttl)
      const state = lock.state()
      const complete = async (): Promise<Completion> =>
        settle(request, {
          // Its own lease: a node that refuses the record may still have the claim.
          own: state.lease,
          // An extension may have raised the counters of the nodes above the first token.
          token: confirmedToken(state.answers, client.quorum) ?? (await token),
          draft,
          waiting: waitingWhile(client.clock, () => (mayRenew() ? left() : 0)),
        })
      const completing = complete()
      // An extension that finds the record in place of the claim has lost nothing.
      state.releasing = completing.then(endOf, () => 'unconfirmed')
      const completed = await completing
      // Something else has taken the place of the claim, so it needs no release.
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

/** The record that some nodes have, once a quorum has it. `elapsed` reads the ms since they were asked. */
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
    // Nodes that answer later than a quorum are watched for about as long again.
    const patience = Math.min(2 * elapsed() + minLatePatience, maxLatePatience)
    if (answers.includes(undefined)) await sleep(clock, patience)
    const lacking = [seen, answers].flatMap((all) => nodesWithout(all, decided))
    await heal(request, decided, [...new Set(lacking)])
  }
  defer(request.waitUntil, healAll())
  return { state: 'recorded', record }
}

/**
 * The rule of a claim: one that sees a record anywhere is given back, once the answers to it show whether a quorum
 * has the record. Without them all nodes would have to be asked again.
 */
const claimRule: Rule<CallOutcome> = (round, now) => {
  const { quorum } = round.plan
  if (!round.answers.some((answer) => recordOf(answer))) return acquireRule(round, now)
  // A record that is told after a quorum has granted the claim needs no further node.
  const decide = (answers: Answers): HeldOutcome | undefined =>
    decidedRecord(answers, quorum) || tallyOf(answers).granted >= quorum ? 'confirmed' : undefined
  const step = pollRule(decide)(round, now)
  return 'done' in step ? { ...step, done: 'found' } : step
}

/** The claim of a key, or the answers that show a record of it. */
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

/** Reports an outage that the caller lets pass. An acquisition reports its own. */
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
  { wait, signal, maxHold, failOpen }: ClaimOptions,
): Promise<ClaimResult> => {
  const { client, key, fingerprint, ttl, waitUntil } = request
  const { clock, random } = client
  const { elapsed, left, pause } = waitingFor(clock, wait, signal)
  const isOther = ({ nodes }: Refusal): boolean =>
    (claimedFingerprint(nodes, client.quorum) ?? fingerprint) !== fingerprint
  const usual = retryFunction(client.retry, random, Infinity)
  // Waiting for the answer to another payload is of no use.
  const retry: RetryFunction = (state) => !isOther(state) && usual(state)
  for (;;) {
    const since = stopwatch(clock)
    const metadata = claimMetadata(fingerprint)
    const call = { ttl, wait: left(), signal, waitUntil, maxHold, failOpen, retry, metadata }
    const result = await runCall(client, claimAcquisition, key, call)
    if (!result.ok) return unclaimedBy(result, client)
    if ('lock' in result) return { state: 'claimed', claim: makeClaim(request, result.lock) }
    const settled = await settleSeen(request, result.seen, since, left)
    const isRecorded = settled.state === 'recorded'
    // Whoever waits in this process finds the record as well.
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
 * Claims a request, or finds its record: one round trip if no other client processes the request. Nodes that know a
 * record never grant a claim.
 *
 * @throws the signal's reason; nothing stays claimed then.
 */
export const claim = (request: RecordKey, options: ClaimOptions): Promise<ClaimResult> => {
  const { client, key } = request
  // One budget is for all that the request sends, and for several claims of one call.
  const requests = client.requests ?? new Budget(client.budget)
  return intercept({ operation: 'claim', client, key, options: {} }, (call) =>
    claimOrFind({ ...request, client: { ...call.client, requests } }, options),
  )
}
