import { describe, expect, it } from 'vitest'
import { checkHistory } from '../../verification/simulation/checks/history-checks.ts'
import type { Scenario } from '../../verification/simulation/workload/scenario.ts'
import { calmScenario, violated } from './support.ts'

const found = (fill: (recorder: Scenario['recorder']) => void): string[] => {
  const scenario = calmScenario()
  fill(scenario.recorder)
  checkHistory(scenario.recorder, scenario.rates, scenario.options.driftFactor)
  return violated(scenario)
}

describe('holders of a key', () => {
  it.each([
    ['one after the other', ['k'], 'b', 10, []],
    ['at the same time', ['k'], 'b', 9, ['exclusion']],
    ['of one lock that is handed over', ['k'], 'a', 5, []],
    ['of other keys', ['other'], 'b', 5, []],
    ['of several keys, one of which both have', ['j', 'k'], 'b', 5, ['exclusion']],
  ])('%s', (_, keys, value, from, expected) => {
    const holds = [
      { process: 'one', keys: ['k'], value: 'a', from: 0, until: 10 },
      { process: 'two', keys, value, from, until: 20 },
    ]
    expect(found((recorder) => void recorder.holds.push(...holds))).toEqual(expected)
  })
})

describe('tokens of a key', () => {
  it.each([
    ['rise', 'b', 2, 20, []],
    ['fall', 'b', 0, 20, ['token order']],
    ['fall for locks that were asked for at the same time', 'b', 0, 5, []],
    ['are the same for two locks', 'b', 1, 20, ['token uniqueness']],
    ['are the same for one lock', 'a', 1, 0, []],
    ['fall for one lock', 'a', 0, 0, ['token order']],
  ])('%s', (_, value, token, lockRequestedAt, expected) => {
    const tokens = [
      { keys: ['k'], value: 'a', token: 1, lockRequestedAt: 0, requestedAt: 1, confirmedAt: 10 },
      { keys: ['k'], value, token, lockRequestedAt, requestedAt: 30, confirmedAt: 40 },
    ]
    expect(found((recorder) => void recorder.tokens.push(...tokens))).toEqual(expected)
  })
})

it('reports two passes of one window', () => {
  const pass = (requestedAt: number) => ({
    key: 'k',
    window: 100,
    requestedAt,
    returnedAt: requestedAt + 1,
  })
  expect(found(({ passes }) => void passes.push(pass(0), pass(98.5)))).toEqual([])
  expect(found(({ passes }) => void passes.push(pass(0), pass(90)))).toEqual(['throttle'])
})
