import { describe, expect, it } from 'vitest'
import { freeIn, standingOf } from '../../src/quorum/tally.ts'
import type { NodeReport } from '../../src/reports/node-report.ts'

const mine: NodeReport = { node: 'n', status: 'granted' }
const of = (holder: string, ttl = 100): NodeReport => ({
  node: 'n',
  status: 'locked',
  ttl,
  holder,
})
const forever: NodeReport = { node: 'n', status: 'locked', holder: 'b' }
const failed: NodeReport = { node: 'n', status: 'timeout', error: new Error('slow') }

describe('standing', () => {
  it.each([
    ['unavailable', 'so many fail that nobody can win', [failed, failed, mine, of('b'), failed]],
    ['locked', 'a rival has a quorum', [mine, of('b'), of('b'), of('b'), undefined]],
    ['lead', 'mine is the lowest of a split vote', [mine, of('b'), of('c'), of('b'), undefined]],
    ['yield', 'the lowest is a rival', [of('b'), mine, of('c'), mine, of('b')]],
    ['lead', 'the lowest that answers is mine', [failed, mine, of('b'), of('c'), of('b')]],
    ['yield', 'the lowest that answers is a rival', [undefined, of('b'), mine, of('c'), of('d')]],
  ])('is %s when %s', (expected, _, answers) => {
    expect(standingOf(answers, 3)).toBe(expected)
  })
})

describe('freeIn', () => {
  it('is when the quorum-th node comes free', () => {
    expect(freeIn([of('b', 50), of('b', 10), of('b', 90), of('b', 30), of('b', 70)], 3, 1)).toBe(50)
  })

  it('takes nodes that hold nobody else as free now', () => {
    expect(freeIn([mine, mine, of('b', 40), of('b', 60), of('b', 50)], 3, 1)).toBe(40)
  })

  it('does not guess when too few nodes tell, or a key has no expiry', () => {
    expect(freeIn([failed, undefined, of('b'), of('b'), failed], 3, 777)).toBe(777)
    expect(freeIn([forever, forever, forever, mine, mine], 3, 777)).toBe(777)
  })

  it('is never zero, which would be an invitation to a hot loop', () => {
    expect(freeIn([of('b', 0)], 1, 777)).toBe(1)
  })
})
