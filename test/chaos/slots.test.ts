import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import { clean, faultOf, found, historyOf, steps } from './histories.ts'

/** A client that has a slot of `slots-2` for 300 ms. */
const holder = (op: string, from: number): HistoryEvent[] =>
  steps(op, 'slots-2', [
    { ms: from, type: 'invoke', kind: 'slots' },
    { ms: from + 10, type: 'acquired', validUntil: from + 1_900 },
    { ms: from + 310, type: 'releasing' },
    { ms: from + 315, type: 'released', result: 'released' },
  ])

describe('slots', () => {
  const two = [...holder('one.1/1#1', 5_000), ...holder('two.1/1#1', 5_100)]
  const three = [...two, ...holder('three.1/1#1', 5_200)]

  it('have as many holders at the same time as the limit', () => {
    expect(found([...two, ...holder('three.1/1#1', 5_305)])).toEqual([])
    const { slots } = check(historyOf([...clean.events, ...two], clean.stores))
    expect(slots).toMatchObject([
      { limit: 2, locks: 2, most: 2 },
      { limit: 3, locks: 0, most: 0 },
    ])
  })

  it('have one holder too many', () => {
    expect(found(three)).toEqual(['more holders than slots'])
  })

  it('may have more while the clock of a server jumps ahead', () => {
    const jump = faultOf({ kind: 'clock jumps', from: 5_050, until: 5_060, nodes: [0] })
    expect(found([...jump, ...three])).toEqual([])
  })
})
