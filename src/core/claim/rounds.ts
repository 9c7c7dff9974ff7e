import { patienceOf } from '../process/pace.ts'
import { minTtl } from '../../util/validate.ts'
import { type RoundListener, runRound } from '../drive.ts'
import { answerTimeoutOf, holding, type Attempt, newAttempt, subjectOf } from '../attempt.ts'
import { done, nextTurn, type Operation, type Rule, timeOfQuorum, undecided } from '../rule.ts'
import { acquiring, inspecting, releasing } from '../operations.ts'
import { isOpen, releaseRule } from '../rules/held.ts'
import { type Answers, heldOutcomeOf } from '../quorum.ts'
import {
  claimMetadata,
  decidedRecord,
  hasPromised,
  promisedToken,
  recordText,
  type StoredRecord,
} from './reading.ts'
import type { HeldOutcome, ReadOutcome } from '../outcome.ts'
import type { InterceptedClient } from '../lock/acquire.ts'
import type { WaitUntil } from '../options/call-options.ts'
import type { Namespace } from '../../protocol/keys.ts'
import { recordLua, withLua } from '../../redis/commands.ts'

// A node makes a promise by granting the key, even if the key holds a record.
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

/** The key of one request, and the data that its calls share. */
export type RecordKey = {
  /** The client, whose budget covers the whole request. */
  readonly client: InterceptedClient
  readonly key: string
  readonly fingerprint: string
  /** The TTL of a claim, in ms. The claim expires then unless it is extended. */
  readonly ttl: number
  readonly waitUntil: WaitUntil | undefined
}

/** A new attempt to claim the key. */
export const recordAttempt = ({ client, key, fingerprint, ttl, waitUntil }: RecordKey): Attempt => {
  const metadata = claimMetadata(fingerprint)
  return newAttempt(subjectOf(client, records, [key], metadata, waitUntil), client.makeValue(), ttl)
}

/** How long to wait for a node's first answer, in ms. A distant node has twice its usual time. */
const waitFor = (patience: number, usual: number = 0): number =>
  usual < Infinity ? Math.max(patience, 2 * usual) : patience

/** The rule of a poll, which ends as soon as the answers decide it, without waiting for late nodes. */
export const pollRule =
  (decide: (answers: Answers) => HeldOutcome | undefined): Rule<ReadOutcome> =>
  (round, now) => {
    const { answers, nodes, plan } = round
    const outcome = decide(answers)
    if (outcome && outcome !== 'unavailable') return done('complete')
    if (outcome || !isOpen(round)) return undecided('complete')
    const turn = nextTurn(round, now)
    if ('send' in turn || turn.wakeAt < Infinity) return turn
    const took = timeOfQuorum(nodes, plan.quorum)
    const patience = patienceOf(plan.pace, took, timeOfQuorum(nodes, 1))
    let wakeAt = 0
    for (const [rank, { askedAt }] of nodes.entries())
      if (!answers[rank])
        wakeAt = Math.max(wakeAt, askedAt + waitFor(patience, plan.roundTrips[rank]))
    return now < wakeAt ? { wakeAt } : undecided('complete')
  }

// Each of the following functions runs one round over all nodes, or over some of them.

/**
 * Reads the key on the nodes until a quorum has returned the same record, or no more answers are expected. Writes
 * nothing.
 */
export const lookUp = async (attempt: Attempt): Promise<Answers> => {
  const { quorum } = attempt.subject.client
  const rule = pollRule((answers) => decidedRecord(answers, quorum) && 'confirmed')
  return (await runRound(attempt, { operation: inspecting, rule })).answers
}

/**
 * Asks the nodes to promise to reject any token lower than the one that they return.
 *
 * @param counter - The minimum of the returned token.
 */
export const prepare = async (
  attempt: Attempt,
  counter: number,
  asked?: readonly number[],
): Promise<Answers> => {
  const { quorum } = attempt.subject.client
  const rule = pollRule((answers) => {
    const rejected = answers.filter((answer) => answer && !hasPromised(answer))
    const isLost = rejected.length > answers.length - quorum
    if (asked) return undefined
    if (isLost) return 'lost'
    return promisedToken(answers, quorum) === undefined ? undefined : 'confirmed'
  })
  const options = {
    operation: preparing,
    rule,
    order: asked,
    counter,
  }
  return (await runRound(attempt, options)).answers
}

/**
 * Writes a record.
 *
 * @param token - Nodes with a higher counter reject the record.
 * @param onLate - Called with each answer that arrives after the result.
 */
export const complete = async (
  attempt: Attempt,
  token: number,
  record: StoredRecord,
  {
    asked,
    onLate = () => {},
  }: {
    readonly asked?: readonly number[]
    readonly onLate?: RoundListener['onLate']
  },
): Promise<Answers> => {
  const { quorum } = attempt.subject.client
  const round = await runRound(attempt, {
    operation: accepting(recordText(record)),
    rule: pollRule((all) => (asked ? undefined : heldOutcomeOf(all, quorum))),
    order: asked,
    ttl: Math.ceil(Math.max(minTtl, record.ttl)),
    // Based on the TTL of the attempt: the record may be about to expire, which would leave a distant node too little
    // time.
    timeout: answerTimeoutOf(attempt.subject.client, attempt.ttl),
    counter: token,
  })
  const { answers } = round
  round.listener = { onLate }
  // On a node that accepted the record, the record has replaced the claim.
  for (const [index, answer] of answers.entries()) {
    if (answer?.status === 'accepted') attempt.mayHold[index] = 0
  }
  return answers
}

const releaseOn = (attempt: Attempt, order: readonly number[]): void => {
  const options = { operation: releasing, rule: releaseRule, order }
  if (order.length > 0) void runRound(attempt, options)
}

/** Releases the claim on all nodes that may hold it. */
export const releaseAll = (attempt: Attempt): void => releaseOn(attempt, holding(attempt))

/**
 * Releases the claim on the nodes that have answered and may still hold it. The others may yet receive the record, and
 * would reject it after a release.
 */
export const releaseRest = (attempt: Attempt, answers: Answers): void =>
  releaseOn(
    attempt,
    holding(attempt).filter((index) => answers[index]),
  )
