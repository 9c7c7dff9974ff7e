import { patienceOf } from '../local/pace.ts'
import { minTtl } from '../util/validate.ts'
import { type RoundOptions, runRound } from '../core/drive.ts'
import { answerTimeoutOf, holding, type Lease, newAttempt, subjectOf } from '../core/attempt.ts'
import {
  type Rule,
  nextTurn,
  settle,
  undecided,
  timeOfQuorum,
  waitFor,
} from '../core/rules/acquire.ts'
import {
  acquiring,
  inspecting,
  isOpen,
  releaseRule,
  type Operation,
  releasing,
} from '../core/operations.ts'
import { type Answers, voteOf } from '../core/quorum.ts'
import {
  claimMetadata,
  decidedRecord,
  hasPromised,
  promisedToken,
  recordText,
  type StoredRecord,
} from './reading.ts'
import type { HeldOutcome, ReadOutcome } from '../core/outcome.ts'
import type { InterceptedClient } from '../acquire/acquire.ts'
import type { WaitUntil } from '../options/call-options.ts'
import type { Namespace } from '../protocol/keys.ts'
import { recordLua, withLua } from '../protocol/redis.ts'

// A promise acquires the key, also over a record.
const preparing: Operation = {
  ...acquiring,
  make: (about, terms) => withLua(recordLua, { op: 'prepare', ...about, ...terms }),
}

const accepting = (record: string): Operation => ({
  make: (about, { ttl, minCounter: token }) =>
    withLua(recordLua, { op: 'accept', ...about, ttl, token, record }),
  writes: true,
})

/** The keys of idempotent requests. */
export const records: Namespace = { kind: 'claim', owner: 'r:', fence: 'rf:' }

/** The key of one request, and what its calls share. */
export type RecordKey = {
  /** It has the requests that are left for the whole request. */
  readonly client: InterceptedClient
  readonly key: string
  readonly fingerprint: string
  /** Ms that a claim lives unless it is extended. */
  readonly ttl: number
  readonly waitUntil: WaitUntil | undefined
}

/** The lease of a claim that is about to be made. */
export const recordAttempt = ({ client, key, fingerprint, ttl, waitUntil }: RecordKey): Lease => {
  const metadata = claimMetadata(fingerprint)
  return newAttempt(subjectOf(client, records, [key], metadata, waitUntil), client.makeValue(), ttl)
}

/** The steps of a poll that is over once its answers decide, and does not wait for nodes that are late. */
export const pollRule =
  (decide: (answers: Answers) => HeldOutcome | undefined): Rule<ReadOutcome> =>
  (view, plan, pace, now) => {
    const { answers, seats } = view
    const vote = decide(answers)
    if (vote && vote !== 'unavailable') return settle('complete')
    if (vote || !isOpen(view, plan)) return undecided('complete')
    const turn = nextTurn(view, plan, pace, now)
    if ('ask' in turn || turn.until < Infinity) return turn
    const patience = patienceOf(pace, timeOfQuorum(seats, plan.quorum), timeOfQuorum(seats, 1))
    let until = 0
    for (const [index, { askedAt }] of seats.entries())
      if (!answers[index])
        until = Math.max(until, askedAt + waitFor(patience, plan.roundTrips[index]))
    return now < until ? { until } : undecided('complete')
  }

// One ballot each over all nodes, or over some of them.

/** Asks the nodes what they have, until a record is decided or all have answered. It writes nothing. */
export const lookUp = async (lease: Lease): Promise<Answers> => {
  const { quorum } = lease.subject.client
  const next = pollRule((answers) => decidedRecord(answers, quorum) && 'confirmed')
  return (await runRound(lease, { operation: inspecting, next })).answers
}

/**
 * Asks the nodes to promise that they accept no token below the one that they return.
 *
 * @param counter - The minimum of that token.
 */
export const prepare = async (
  lease: Lease,
  counter: number,
  asked?: readonly number[],
): Promise<Answers> => {
  const { quorum } = lease.subject.client
  const next = pollRule((answers) => {
    const refused = answers.filter((answer) => answer && !hasPromised(answer))
    const isLost = refused.length > answers.length - quorum
    if (asked) return undefined
    if (isLost) return 'lost'
    return promisedToken(answers, quorum) === undefined ? undefined : 'confirmed'
  })
  const options = {
    operation: preparing,
    next,
    order: asked,
    counter,
  }
  return (await runRound(lease, options)).answers
}

/**
 * Writes a record.
 *
 * @param token - Nodes with a higher counter refuse it.
 * @param onLate - Called with each answer that arrives after the result.
 */
export const complete = async (
  lease: Lease,
  token: number,
  record: StoredRecord,
  {
    asked,
    onLate = () => {},
  }: {
    readonly asked?: readonly number[]
    readonly onLate?: NonNullable<RoundOptions<unknown>['onLate']>
  },
): Promise<Answers> => {
  const { quorum } = lease.subject.client
  const { answers } = await runRound(lease, {
    operation: accepting(recordText(record)),
    next: pollRule((all) => (asked ? undefined : voteOf(all, quorum))),
    order: asked,
    ttl: Math.ceil(Math.max(minTtl, record.ttl)),
    // A record may be about to end, and its node far.
    timeout: answerTimeoutOf(lease.subject.client, lease.ttl),
    counter: token,
    onLate,
  })
  // A node with the record has no claim any more.
  for (const [index, answer] of answers.entries()) {
    if (answer?.status === 'accepted') lease.mayHold[index] = 0
  }
  return answers
}

const release = (lease: Lease, order: readonly number[]): void => {
  const options = { operation: releasing, next: releaseRule, order }
  if (order.length > 0) void runRound(lease, options)
}

/** Releases the claim wherever it may be. */
export const releaseAll = (lease: Lease): void => release(lease, holding(lease))

/**
 * Releases the claim where it may be left. A node that has not answered to the record may get it yet,
 * and would refuse it after a release.
 */
export const releaseRest = (lease: Lease, answers: Answers): void =>
  release(
    lease,
    holding(lease).filter((index) => answers[index]),
  )
