import { expect } from 'vitest'
import { type Pace, slowAfter } from '../../../src/local/pace.ts'
import type { NextStep, Plan, Step, View } from '../../../src/vote/next-step.ts'
import { quorumHolder, tallyOf } from '../../../src/vote/tally.ts'

// What is true of every step, whatever the answers and times are.

/** Frozen, so that writing to it throws. */
const frozen = (view: View): View =>
  Object.freeze({
    ...view,
    answers: Object.freeze(view.answers.map((answer) => answer && Object.freeze({ ...answer }))),
    seats: Object.freeze(view.seats.map((seat) => Object.freeze({ ...seat }))),
  })

const expectAsk = (
  ask: readonly number[],
  { answers, seats, canAsk }: View,
  plan: Plan,
  pace: Pace,
  now: number,
): void => {
  expect(ask).not.toEqual([])
  expect(new Set(ask).size).toBe(ask.length)
  expect(plan.order).toEqual(expect.arrayContaining([...ask]))
  const again = ask.filter((index) => seats[index]!.asks > 0)
  for (const index of again) {
    const { request } = seats[index]!
    const { status, error } = answers[index] ?? {}
    // The only reason: it has refused, and the rival may have yielded since.
    const isRefusal = status !== undefined && status !== 'granted' && !error
    expect({ index, isRefusal, isBusy: request !== undefined }).toEqual({
      index,
      isRefusal: true,
      isBusy: false,
    })
  }
  if (again.length) {
    expect(again).toEqual(ask)
    expect(canAsk(ask.length)).toBe(true)
    return
  }
  const limit = slowAfter(pace, plan.took)
  const isAwaited = (index: number): boolean =>
    seats[index]!.asks > 0 && !answers[index] && now < seats[index]!.askedAt + limit
  const awaited = plan.order.filter(isAwaited).length
  expect(awaited + ask.length).toBeLessThanOrEqual(plan.concurrency)
}

const expectWait = (until: number, { answers, seats }: View, now: number): void => {
  expect(until).toBeGreaterThan(now)
  // A wait without a time ends only with an answer, so somebody must owe one.
  const isOwed = seats.some(({ asks, request }, index) => request || (asks > 0 && !answers[index]))
  if (until === Infinity) expect(isOwed).toBe(true)
}

/** The results that these answers allow. */
const allowed = ({ answers, seats }: View, plan: Plan, now: number): unknown[] => {
  const { granted, failed, refused } = tallyOf(answers)
  const spare = answers.length - plan.quorum
  if (granted >= plan.quorum) return now < plan.validity ? ['won', 'yes', 'done'] : ['unavailable', 'yes', 'done']
  const results: unknown[] = ['done']
  if (failed > spare) results.push('unavailable')
  else results.push('split')
  const isProbed = plan.isProbe && seats.filter(({ asks }) => asks).length === 1
  if (quorumHolder(answers, plan.quorum) || (isProbed && refused)) results.push('locked')
  if (refused > spare) results.push('no')
  else if (refused + failed > spare) results.push('unknown')
  return results
}

/** The same decisions, each of which is compared with what is true of every step. */
export const checkedStep =
  <Result>(next: NextStep<Result>): NextStep<Result> =>
  (view, plan, pace, now): Step<Result> => {
    const given = frozen(view)
    const step = next(given, plan, pace, now)
    // It depends on nothing but its arguments.
    expect(next(given, plan, pace, now)).toEqual(step)
    expect(Object.keys(step)).toHaveLength(1)
    if ('ask' in step) expectAsk(step.ask, given, plan, pace, now)
    else if ('until' in step) expectWait(step.until, given, now)
    else expect(allowed(given, plan, now)).toContain(step.settle)
    return step
  }
