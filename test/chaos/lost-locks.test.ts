import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import {
  burst,
  clean,
  type Contender,
  faultOf,
  found,
  historyOf,
  steps,
  usual,
} from './histories.ts'

// A lock that is acquired at 5 s, by a client of a burst, and lost at the end of its validity.
const lost = (
  { grantedBy = [0, 1, 2, 3, 4], late = 0 }: { grantedBy?: number[]; late?: number } = {},
  more: Partial<Contender> = { extendingAt: 5500 },
): HistoryEvent[] =>
  burst(2, 5000, [
    { process: 'one.1', took: 10, lost: { ms: 5988, grantedBy, late }, ...more },
    { process: 'two.1', took: 20, isRefused: true },
  ])

const hang = (nodes: number[], from: number, until: number): HistoryEvent[] =>
  faultOf({ kind: 'gateway paused', nodes, from, until })

const flagged = (events: readonly HistoryEvent[]): string[] => found([...usual(20), ...events])
const reasonsOf = (events: readonly HistoryEvent[]): object =>
  check(historyOf([...clean.events, ...usual(20), ...events], clean.stores)).lostLocks

describe('a lost lock', () => {
  it('is a violation if a quorum of nodes had it and was well', () => {
    expect(flagged(lost())).toEqual(['lost lock'])
    expect(flagged([...hang([1, 3], 5200, 9000), ...lost()])).toEqual(['lost lock'])
    expect(reasonsOf(lost())).toEqual({
      kept: 2,
      extensions: 0,
      lost: { withoutQuorum: 0, clientHit: 0, machineBusy: 0, needless: 1 },
    })
  })

  it('is none if fewer nodes had it, or were well all the time', () => {
    expect(flagged([...hang([1, 3, 4], 5200, 6100), ...lost()])).toEqual([])
    expect(flagged([...hang([1, 3], 5200, 5400), ...hang([4], 5600, 9000), ...lost()])).toEqual([])
    // The other nodes were held by others when the vote was split.
    const bare = lost({ grantedBy: [0, 1, 2] })
    expect(flagged(bare)).toEqual(['lost lock'])
    expect(flagged([...hang([1], 5200, 9000), ...bare])).toEqual([])
    expect(reasonsOf([...hang([1], 5200, 9000), ...bare])).toMatchObject({
      lost: { withoutQuorum: 1, needless: 0 },
    })
  })

  it('is one although the links of another process failed, or a fault had ended before', () => {
    const processes = ['two' as never]
    const cut = faultOf({ kind: 'partition', nodes: [0, 1, 2], from: 5900, until: 6700, processes })
    expect(flagged([...cut, ...lost()])).toEqual(['lost lock'])
    expect(flagged([...hang([0, 1, 2], 3600, 4400), ...lost()])).toEqual(['lost lock'])
    expect(flagged([...hang([0, 1, 2], 3700, 4600), ...lost()])).toEqual([])
  })

  it('is judged from its last extension on', () => {
    const extended = steps('one.1/burst-0#2', 'burst-2', [
      { ms: 5300, type: 'extended', validUntil: 6280 },
    ])
    const early = hang([0, 1, 2], 4000, 4790)
    const never = lost({}, {})
    expect(flagged([...early, ...never])).toEqual([])
    expect(flagged([...early, ...never, ...extended])).toEqual(['lost lock'])
    expect(reasonsOf([...early, ...never, ...extended])).toMatchObject({ extensions: 1 })
  })

  it('is none if the process of its holder was paused', () => {
    const paused = faultOf({ kind: 'client paused', from: 5200, until: 5900, pid: 1 })
    expect(flagged([...paused, ...lost()])).toEqual([])
    const other = faultOf({ kind: 'client paused', from: 5200, until: 5900, pid: 2 })
    expect(flagged([...other, ...lost()])).toEqual(['lost lock'])
  })

  it('is none if the machine was busy', () => {
    expect(flagged(lost({ late: 101 }))).toEqual([])
    expect(flagged([...lost(), { type: 'timer lag', at: 6000, late: 101 }])).toEqual([])
    expect(found([...usual(160), ...lost()])).toEqual(['lost lock'])
    expect(found([...usual(170), ...lost()])).toEqual([])
  })

  it('is judged by the time that an extension takes over the distance of its holder', () => {
    const far = (roundTrip: number): HistoryEvent => ({
      type: 'process',
      at: -1000,
      process: 'one.1',
      pid: 9,
      runtime: 'Node',
      resolution: 0,
      isComplete: true,
      roundTrip,
    })
    expect(found([...usual(50), far(340), ...lost()])).toEqual(['lost lock'])
    expect(found([...usual(50), far(350), ...lost()])).toEqual([])
  })

  it('is one, however busy the machine was, if its holder was not and asked for no extension', () => {
    const never = lost({}, {})
    const lag: HistoryEvent = { type: 'timer lag', at: 6000, late: 500 }
    expect(flagged([...never, lag])).toEqual(['lost lock'])
    expect(flagged([...lost({ late: 101 }, {}), lag])).toEqual([])
  })
})
