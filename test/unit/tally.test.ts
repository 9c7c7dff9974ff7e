import { describe, expect, it } from 'vitest'
import { freeIn } from '../../src/core/quorum.ts'
import type { NodeReport } from '../../src/core/results/node-report.ts'

const own: NodeReport = { node: 'n', status: 'granted' }
const of = (holder: string, ttl = 100): NodeReport => ({
  node: 'n',
  status: 'locked',
  ttl,
  holder,
})
const forever: NodeReport = { node: 'n', status: 'locked', holder: 'b' }
const failed: NodeReport = { node: 'n', status: 'timeout', error: new Error('slow') }

describe('freeIn', () => {
  it('is the time until the quorum-th node is free', () => {
    expect(freeIn([of('b', 50), of('b', 10), of('b', 90), of('b', 30), of('b', 70)], 3, 1)).toBe(50)
  })

  it('counts nodes that no other client holds as free now', () => {
    expect(freeIn([own, own, of('b', 40), of('b', 60), of('b', 50)], 3, 1)).toBe(40)
  })

  it('returns the default if too few nodes report a ttl', () => {
    expect(freeIn([failed, undefined, of('b'), of('b'), failed], 3, 777)).toBe(777)
  })

  it('is a minute for a key that never expires, which somebody has to delete', () => {
    expect(freeIn([forever, forever, forever, own, own], 3, 777)).toBe(60_000)
  })

  it('is never zero, which could cause a hot loop', () => {
    expect(freeIn([of('b', 0)], 1, 777)).toBe(1)
  })
})
