import { describe, expect, it } from 'vitest'
import { checkHistory } from '../../verification/simulation/checks/history-checks.ts'
import { calmScenario, takeSteps, type Timed, violated } from './support.ts'

const found = (...lists: readonly (readonly Timed[])[]): string[] => {
  const scenario = calmScenario()
  takeSteps(scenario, ...lists)
  checkHistory(scenario.recorder, scenario.rates, scenario.options.driftFactor)
  return violated(scenario)
}

const called = (at: number, keys: readonly string[] = ['k']): Timed => [
  at,
  { type: 'called', kind: 'lock', keys },
]
const acquired = (at: number, lock: string, validUntil: number): Timed => [
  at,
  { type: 'acquired', lock, validUntil },
]

describe('holders of a key', () => {
  it.each([
    ['one after the other', ['k'], 'b', 10, []],
    ['at the same time', ['k'], 'b', 9, ['exclusion']],
    ['of one lock that is handed over', ['k'], 'a', 5, []],
    ['of other keys', ['other'], 'b', 5, []],
    ['of several keys, one of which both have', ['j', 'k'], 'b', 5, ['exclusion']],
  ])('%s', (_, keys, lock, from, expected) => {
    const first = [called(0), acquired(0, 'a', 10)]
    expect(found(first, [called(from, keys), acquired(from, lock, 20)])).toEqual(expected)
  })

  const second = [called(5), acquired(6, 'b', 20)]
  const [releasing, lost] = [{ type: 'releasing' }, { type: 'lost' }] as const
  const extended = { type: 'extended', validUntil: 30 } as const
  it.each<[string, Timed[], string[]]>([
    ['has released its lock', [[5, releasing]], []],
    [
      'has released its lock twice',
      [
        [5, releasing],
        [8, releasing],
      ],
      [],
    ],
    ['has lost its lock', [[5, lost]], []],
    [
      'has lost its lock, and is told so again',
      [
        [5, lost],
        [8, lost],
      ],
      [],
    ],
    ['has extended its lock', [[5, extended]], ['exclusion']],
    [
      'has lost and extended its lock',
      [
        [3, lost],
        [5, extended],
      ],
      ['exclusion'],
    ],
  ])('after the first of them %s', (_, steps, expected) => {
    expect(found([called(0), acquired(0, 'a', 10), ...steps], second)).toEqual(expected)
  })

  const force = (holder?: string): Timed[] => [
    [3, { type: 'called', kind: 'force', keys: ['k'], holder }],
    [4, { type: 'forced' }],
  ]
  it.each([
    ['that lock', 0, force('a'), []],
    ['any lock', 0, force(), []],
    ['another lock', 0, force('x'), ['exclusion']],
    ['locks before', 4.5, force(), ['exclusion']],
  ])('after a release by force of %s', (_, at, forced, expected) => {
    expect(found([called(at), acquired(at, 'a', 10)], forced, second)).toEqual(expected)
  })

  it.each([
    ['no data is safe', { restarts: 1 }, []],
    ['clocks are off', { nodeJumps: 1 }, ['token uniqueness']],
    ['nothing is wrong', {}, ['token uniqueness', 'exclusion']],
  ])('are judged as far as faults leave anything guaranteed: %s', (_, faults, expected) => {
    const scenario = calmScenario()
    const holder = (at: number, lock: string): Timed[] => [
      called(at),
      acquired(at, lock, 10),
      [at + 1, { type: 'token', token: 1 }],
    ]
    takeSteps(scenario, holder(0, 'a'), holder(2, 'b'))
    const { recorder, rates, options } = scenario
    checkHistory(recorder, { ...rates, ...faults }, options.driftFactor)
    expect(violated(scenario)).toEqual(expected)
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
  ])('%s', (_, lock, token, askedAt, expected) => {
    const first: Timed[] = [
      called(0),
      acquired(0, 'a', 0),
      [1, { type: 'token asked' }],
      [10, { type: 'token', token: 1 }],
    ]
    const second: Timed[] = [
      called(25),
      [25, { type: 'acquired', lock, askedAt, validUntil: 25 }],
      [30, { type: 'token asked' }],
      [40, { type: 'token', token }],
    ]
    expect(found(first, second)).toEqual(expected)
  })
})

describe('passes of a throttle', () => {
  const pass = (askedAt: number, window = 100, took = 1): Timed[] => [
    [askedAt, { type: 'called', kind: 'throttle', keys: ['k'] }],
    [askedAt + took, { type: 'passed', window, askedAt }],
  ]

  it('are one for each window', () => {
    expect(found(pass(0), pass(98.5))).toEqual([])
    expect(found(pass(0), pass(90))).toEqual(['throttle'])
    // Its own window is over when it returns.
    expect(found(pass(0), pass(10, 20, 50))).toEqual(['throttle'])
  })

  it('are no more than the limit, from the return until a window after the first request', () => {
    const limited = (askedAt: number): Timed[] => [
      [askedAt, { type: 'called', kind: 'throttle', keys: ['k'] }],
      [askedAt + 10, { type: 'passed', window: 100, askedAt, limit: 1 }],
    ]
    expect(found(limited(0), limited(90))).toEqual([])
    expect(found(limited(0), limited(80))).toEqual(['passes'])
  })
})
