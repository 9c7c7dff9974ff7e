import assert from 'node:assert/strict'
import { isAffordable } from '../../../src/local/budget.ts'
import { type Pace, slowAfter } from '../../../src/local/pace.ts'
import type { Rule, Plan, Step, View } from '../../../src/core/rules/acquire.ts'
import { quorumHolder, tallyOf } from '../../../src/core/quorum.ts'

// What is true of every step, whatever the answers and times are.

/** A copy that nobody can write to. */
const frozen = (view: View): View =>
  Object.freeze({
    ...view,
    answers: Object.freeze(view.answers.map((answer) => answer && Object.freeze({ ...answer }))),
    seats: Object.freeze(view.seats.map((seat) => Object.freeze({ ...seat }))),
  })

/** The only reason to ask a node again: it has rejected, and the rival may have yielded since. */
const assertRefused = (index: number, { answers, seats }: View): void => {
  const { status, error } = answers[index] ?? {}
  assert.ok(status, `node ${index} is asked again before it has answered`)
  assert.ok(status !== 'granted' && !error, `node ${index} has not rejected, and is asked again`)
  assert.ok(!seats[index]!.request, `node ${index} is asked while a request is under way`)
}

const assertAsk = (
  ask: readonly number[],
  view: View,
  plan: Plan,
  pace: Pace,
  now: number,
): void => {
  const { answers, seats, budget } = view
  assert.ok(ask.length > 0, 'asks nobody')
  assert.equal(new Set(ask).size, ask.length, 'asks a node twice')
  for (const index of ask) assert.ok(plan.order.includes(index), `node ${index} is not to be asked`)
  const again = ask.filter((index) => seats[index]!.asks > 0)
  for (const index of again) assertRefused(index, view)
  if (again.length > 0) {
    assert.deepEqual(again, ask)
    assert.ok(isAffordable(budget, ask.length), 'the budget does not allow that')
    return
  }
  const limit = slowAfter(pace, plan.took)
  const awaited = plan.order.filter((index) => {
    const { asks, askedAt } = seats[index]!
    return asks > 0 && !answers[index] && now < askedAt + limit
  })
  assert.ok(awaited.length + ask.length <= plan.concurrency, 'awaits too many answers')
}

const assertWait = (until: number, { seats }: View, now: number): void => {
  assert.ok(until > now, `waits for the past: ${until}`)
  // A wait without a time ends only with an answer.
  if (until === Infinity) {
    assert.ok(
      seats.some(({ request }) => request),
      'waits for an answer that nobody owes',
    )
  }
}

/** The results that the answers allow. */
const resultsOf = ({ answers, seats }: View, plan: Plan): unknown[] => {
  const { granted, failed, rejected } = tallyOf(answers)
  const { quorum, isProbe } = plan
  if (granted >= quorum) return ['confirmed', 'complete', 'acquired']
  const spare = answers.length - quorum
  const isRefusedProbe = isProbe && rejected > 0 && seats.filter(({ asks }) => asks).length === 1
  const isHeld = isRefusedProbe || quorumHolder(answers, quorum) !== undefined
  const vote = rejected > spare ? 'lost' : rejected + failed > spare && 'unavailable'
  // Answers that came too late may show a holder that is none any more.
  return [
    'complete',
    vote,
    'contended',
    'stalemate',
    isHeld && 'held',
    failed > spare && 'unavailable',
  ]
}

/** The same decisions, each of which is compared with what is true of every step. */
export const checkedStep =
  <Result>(next: Rule<Result>): Rule<Result> =>
  (view, plan, pace, now): Step<Result> => {
    const given = frozen(view)
    const step = next(given, Object.freeze(plan), Object.freeze(pace), now)
    assert.deepEqual(next(given, plan, pace, now), step, 'depends on more than its arguments')
    const { isUndecided, ...kind } = step as Step<Result> & { readonly isUndecided?: boolean }
    assert.equal(Object.keys(kind).length, 1)
    assert.ok(!isUndecided || 'settle' in step)
    if ('ask' in step) assertAsk(step.ask, given, plan, pace, now)
    else if ('until' in step) assertWait(step.until, given, now)
    else
      assert.ok(resultsOf(given, plan).includes(step.settle), `settles as ${String(step.settle)}`)
    return step
  }
