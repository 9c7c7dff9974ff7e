import assert from 'node:assert/strict'
import { slowAfter } from '../../../src/core/process/pace.ts'
import type { Outcome } from '../../../src/core/outcome.ts'
import type { RoundView, Rule, Step } from '../../../src/core/rule.ts'
import { quorumHolder, tallyOf } from '../../../src/core/quorum.ts'

// The properties of every step, for all answers and times.

/** A copy that nobody can write to. */
const frozen = (round: RoundView): RoundView =>
  Object.freeze({
    attempt: round.attempt,
    plan: Object.freeze({ ...round.plan }),
    answers: Object.freeze(round.answers.map((answer) => answer && Object.freeze({ ...answer }))),
    nodes: Object.freeze(round.nodes.map((node) => Object.freeze({ ...node }))),
  })

/** The only reason to ask a node again: it has rejected, and the rival may have yielded since. */
const assertRejected = (rank: number, { answers, nodes }: RoundView): void => {
  const { status, error } = answers[rank] ?? {}
  assert.ok(status, `node ${rank} is asked again before it has answered`)
  assert.ok(status !== 'granted' && !error, `node ${rank} has not rejected, and is asked again`)
  assert.ok(!nodes[rank]!.isInFlight, `node ${rank} is asked while a request is under way`)
}

const assertSend = (send: readonly number[], round: RoundView, now: number): void => {
  const { answers, nodes, plan } = round
  assert.ok(send.length > 0, 'asks nobody')
  assert.equal(new Set(send).size, send.length, 'asks a node twice')
  for (const rank of send) assert.ok(plan.order.includes(rank), `node ${rank} is not to be asked`)
  const again = send.filter((rank) => nodes[rank]!.requests > 0)
  for (const rank of again) assertRejected(rank, round)
  if (again.length > 0) {
    assert.deepEqual(again, send)
    assert.ok(plan.budget.affords(send.length), 'the budget does not allow that')
    return
  }
  const limit = slowAfter(plan.pace, plan.took)
  const awaited = plan.order.filter((rank) => {
    const { requests, askedAt } = nodes[rank]!
    return requests > 0 && !answers[rank] && now < askedAt + limit
  })
  assert.ok(awaited.length + send.length <= plan.concurrency, 'awaits too many answers')
}

const assertWait = (wakeAt: number, { nodes }: RoundView, now: number): void => {
  assert.ok(wakeAt > now, `waits for the past: ${wakeAt}`)
  // A wait without a time ends only with an answer.
  if (wakeAt === Infinity) {
    assert.ok(
      nodes.some(({ isInFlight }) => isInFlight),
      'waits for an answer that nobody owes',
    )
  }
}

/** The outcomes that the answers allow. */
const outcomesOf = ({ answers, nodes, plan }: RoundView): unknown[] => {
  const { granted, failed, rejected } = tallyOf(answers)
  const { quorum, isProbe } = plan
  if (granted >= quorum) return ['confirmed', 'complete', 'acquired']
  const spare = answers.length - quorum
  const asked = nodes.filter(({ requests }) => requests)
  const isTaken =
    (isProbe && rejected > 0 && asked.length === 1) || quorumHolder(answers, quorum) !== undefined
  const isUnknown = failed > spare || (rejected <= spare && rejected + failed > spare)
  // Answers that came too late may show a holder that is none any more.
  return [
    'complete',
    'contended',
    'stalemate',
    rejected > spare && 'lost',
    isTaken && 'taken',
    isUnknown && 'unavailable',
  ]
}

/** The same decisions, each of which is compared with what is true of every step. */
export const checkedRule =
  <End extends Outcome>(rule: Rule<End>): Rule<End> =>
  (round, now): Step<End> => {
    const given = frozen(round)
    const step = rule(given, now)
    assert.deepEqual(rule(given, now), step, 'depends on more than its arguments')
    const { isUndecided, ...kind } = step as Step<End> & { readonly isUndecided?: boolean }
    assert.equal(Object.keys(kind).length, 1)
    assert.ok(!isUndecided || 'done' in step)
    if ('send' in step) assertSend(step.send, given, now)
    else if ('wakeAt' in step) assertWait(step.wakeAt, given, now)
    else assert.ok(outcomesOf(given).includes(step.done), `is done: ${step.done}`)
    return step
  }
