import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import type { Refusal } from '../../verification/history/records.ts'
import { clean, entry, faultOf, found, historyOf, type Stores, steps, whole } from './histories.ts'

describe('a clean history', () => {
  it('has no violation', () => {
    const verdict = check(historyOf(clean.events, clean.stores))
    expect(verdict.violations).toEqual([])
    expect(verdict.counts).toMatchObject({ written: 4, unacknowledged: 0, late: 0, excused: 0 })
    expect(verdict).toMatchObject({ operations: 11, locks: 10, clients: 5, seconds: 60 })
  })

  it('with a client that did not finish has one', () => {
    const event: HistoryEvent = { type: 'unfinished', at: 70_000, process: 'one' }
    expect(found([event])).toEqual(['no end'])
  })

  it('must have some content and must be complete', () => {
    const { violations } = check(historyOf([], { 'plain-1': [] }))
    expect(violations.map((violation) => violation.check)).toEqual(['nothing to check'])
    const unasked = historyOf(clean.events, clean.stores).filter(({ type }) => type !== 'lifetimes')
    expect(check(unasked).violations).toMatchObject([{ check: 'nothing to check' }])
    const { events, stores } = clean
    const withoutBurst = historyOf(
      events.filter(({ op }) => !op.includes('burst')),
      stores,
    )
    expect(check(withoutBurst).violations).toMatchObject([{ check: 'nothing to check' }])
    const cut = historyOf(events, stores).filter(({ type }) => type !== 'end')
    expect(() => check(cut)).toThrow('not the history of a complete campaign')
  })
})

describe('exclusion', () => {
  const first = whole('one.1/1#1', 'plain-2', { from: 5000, token: 1, n: 1, by: null })
  const store = (op: string): Stores => ({
    'plain-2': [entry(1, 'one.1/1#1', null, 1), entry(2, op, 'one.1/1#1', 2)],
  })
  const second = (op: string, from: number): HistoryEvent[] =>
    whole(op, 'plain-2', { from, token: 2, n: 2, by: 'one.1/1#1' })

  it('are detected, but not if one acquires while the other releases', () => {
    expect(found([...first, ...second('two.1/1#1', 5005)], store('two.1/1#1'))).toContain(
      'exclusion',
    )
    expect(found([...first, ...second('two.1/1#1', 5006.5)], store('two.1/1#1'))).toEqual([])
  })

  it('are not assumed within the resolution of times', () => {
    expect(found([...first, ...second('worker.1/1#1', 5004.5)], store('worker.1/1#1'))).toEqual([])
    const early = second('worker.1/1#1', 5002)
    expect(found([...first, ...early], store('worker.1/1#1'))).toContain('exclusion')
  })

  const hold = (op: string, ms: number, more: Parameters<typeof steps>[2] = []) =>
    steps(op, 'plain-3', [
      { ms, type: 'called', kind: 'plain' },
      { ms: ms + 1, type: 'acquired', validUntil: ms + 1978 },
      ...more,
    ])

  it('are detected until the end of the validity, even if the first was killed', () => {
    const dead = hold('one.1/2#1', 5000)
    expect(found([...dead, ...hold('two.1/2#1', 6900)])).toContain('exclusion')
    expect(found([...dead, ...hold('two.1/2#1', 6978)])).toEqual([])
  })

  it('are detected in the time that an extend has added', () => {
    const long = hold('one.1/2#1', 5000, [{ ms: 6000, type: 'extended', validUntil: 7978 }])
    expect(found([...long, ...hold('two.1/2#1', 7500)])).toContain('exclusion')
    const lost = hold('one.1/2#1', 5000, [{ ms: 6000, type: 'lost' }])
    expect(found([...lost, ...hold('two.1/2#1', 6001)])).toEqual([])
  })

  it('are not assumed until an extension is told that has expired meanwhile, as in a process that was paused', () => {
    const paused = hold('one.1/2#1', 5000, [{ ms: 9000, type: 'extended', validUntil: 9000 }])
    expect(found([...paused, ...hold('two.1/2#1', 8000)])).toEqual([])
    expect(found([...paused, ...hold('two.1/2#1', 6900)])).toContain('exclusion')
  })

  it('are not assumed after the last event of a process whose history may be incomplete', () => {
    const silent = hold('worker.1/2#1', 5000)
    expect(found([...silent, ...hold('two.1/2#1', 5500)])).toEqual([])
  })
})

describe('a clock that jumps', () => {
  // The clock is ahead from 5.1 s on and set right at 6 s, or behind in that time.
  const jump = (amount: number): HistoryEvent[] =>
    faultOf({ kind: 'clock jumps', nodes: [0], from: 5100, until: 6000, amount })
  const lost = (key: string, ms: number, events: HistoryEvent[]): ReturnType<typeof check> => {
    const [one, two] = [`one.1/1#${key}`, `two.1/1#${key}`]
    const held = [
      ...whole(one, key, { from: ms, token: 1, n: 1, by: null, wroteAt: ms + 300 }),
      ...whole(two, key, { from: ms + 200, token: 2, n: 1, by: null }),
    ]
    const entries = [entry(1, two, null, 2), entry(1, one, null, 1)]
    return check(
      historyOf([...clean.events, ...held, ...events], { ...clean.stores, [key]: entries }),
    )
  }
  const kinds = (verdict: ReturnType<typeof check>): string[] =>
    verdict.violations.map((violation) => violation.check)

  it('ahead explains two holders at that moment, and the update that they lose', () => {
    const verdict = lost('plain-2', 5000, jump(3000))
    expect(kinds(verdict)).toEqual([])
    expect(verdict.clockJumps).toEqual({ times: 1, holders: 1, updates: 1 })
    expect(kinds(lost('plain-2', 5900, jump(-3000)))).toEqual([])
  })

  it('back explains neither, nor does a jump at another time', () => {
    const found = ['exclusion', 'lost update']
    expect(kinds(lost('plain-2', 5000, jump(-3000)))).toEqual(found)
    expect(kinds(lost('plain-2', 7000, jump(3000)))).toEqual(found)
  })

  it('explains nothing if both waited since before it and acquired long after it', () => {
    const key = 'plain-3'
    const waited = (op: string, ms: number): HistoryEvent[] =>
      steps(op, key, [
        { ms: 5000, type: 'called', kind: 'plain' },
        { ms, type: 'acquired', validUntil: ms + 1978 },
        { ms: ms + 100, type: 'releasing' },
      ])
    const both = [...waited('one.1/1#9', 7700), ...waited('two.1/1#9', 7750)]
    expect(found([...jump(3000), ...both])).toEqual(['exclusion'])
  })

  it('explains nothing behind a guard, and neither does a nudge', () => {
    expect(kinds(lost('guarded-2', 5000, jump(3000)))).toContain('stale write through a guard')
    const nudge = faultOf({ kind: 'clock nudged', nodes: [0], from: 5100, until: 6000, amount: 15 })
    expect(kinds(lost('plain-2', 5000, nudge))).toEqual(['exclusion', 'lost update'])
  })
})

describe('a key of a lock', () => {
  const look = (ms: number, longest: number): HistoryEvent => ({
    type: 'lifetimes',
    at: ms,
    node: 'b',
    longest,
  })

  it('must not live longer than its ttl, as servers report it', () => {
    expect(found([look(5000, 2040)])).toEqual([])
    expect(found([look(5000, 2100)])).toEqual(['a key that outlives its ttl'])
  })

  it('may do so if the clock of the server is stepped back', () => {
    const jump = (nodes: number[]): HistoryEvent[] =>
      faultOf({ kind: 'clock jumps', nodes, from: 4000, until: 5500, amount: -3000 })
    expect(found([...jump([1]), look(5000, 4900)])).toEqual([])
    expect(found([...jump([0]), look(5000, 4900)])).toEqual(['a key that outlives its ttl'])
  })
})

describe('a lock whose holder is killed', () => {
  const key = 'plain-4'
  const orphan = [
    ...steps('one.1/3#1', key, [
      { ms: 5000, type: 'called', kind: 'plain' },
      { ms: 5001, type: 'acquired', validUntil: 6978 },
    ]),
    ...faultOf({ kind: 'client killed', from: 5010, until: 5010, pid: 1 }),
  ]
  const refused = (ms: number, reason: Refusal): HistoryEvent[] =>
    steps('two.1/3#1', key, [
      { ms: 5000, type: 'called', kind: 'plain' },
      { ms, type: 'refused', reason },
    ])
  const taken = (ms: number): HistoryEvent[] =>
    steps('three.1/3#1', key, [
      { ms: 5000, type: 'called', kind: 'plain' },
      { ms, type: 'acquired', validUntil: ms + 1978 },
    ])

  it('must not outlive its ttl', () => {
    expect(found([...orphan, ...refused(9900, 'locked')])).toEqual(['a lock that outlives its ttl'])
    const late = [...orphan, ...refused(9900, 'locked'), ...taken(12_000)]
    expect(found(late)).toEqual(['a lock that outlives its ttl'])
  })

  it('may be acquired at its end, or stay unavailable if nodes do not answer', () => {
    const { orphans, violations, killedWhileHolding } = check(
      historyOf([...clean.events, ...orphan, ...taken(7100)], clean.stores),
    )
    expect(violations).toEqual([])
    expect(orphans).toEqual({ held: 1, freed: 1, longest: 2090, undecided: 0 })
    expect(killedWhileHolding).toBe(1)
    expect(found([...orphan, ...refused(9900, 'unavailable')])).toEqual([])
  })

  it('may be acquired later if its last requests were held back, or nodes were down', () => {
    const held = faultOf({ kind: 'partition', nodes: [0], from: 4000, until: 8000 })
    expect(found([...orphan, ...held, ...refused(9900, 'locked')])).toEqual([])
    expect(found([...orphan, ...held, ...refused(13_000, 'locked')])).toEqual([
      'a lock that outlives its ttl',
    ])
    // Retransmitted packets arrive later than bytes that a proxy has held back.
    const events = [...clean.events, ...orphan, ...held, ...refused(13_000, 'locked')]
    const dropped = historyOf(events, clean.stores)
    for (const event of dropped)
      if (event.type === 'run') Object.assign(event, { network: 'packets' })
    expect(check(dropped).violations).toEqual([])
    const out = faultOf({ kind: 'redis paused', nodes: [0, 1, 2], from: 6000, until: 8000 })
    const back = taken(12_000)
    expect(found([...orphan, ...out, ...refused(9900, 'locked'), ...back])).toEqual([])
  })
})
