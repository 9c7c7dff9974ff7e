import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import { clean, entry, found, historyOf, steps, whole } from './histories.ts'

describe('counters', () => {
  it.each(['guarded', 'plain'])('lose no update unnoticed: %s', (kind) => {
    const key = `${kind}-2`
    const events = [
      ...whole('one.1/1#1', key, { from: 5000, token: 1, n: 1, by: null }),
      ...whole('two.1/1#1', key, { from: 6000, token: 2, n: 1, by: null }),
    ]
    const entries = [entry(1, 'one.1/1#1', null, 1), entry(1, 'two.1/1#1', null, 2)]
    expect(found(events, { [key]: entries })).toEqual(['lost update'])
  })

  it('may lose an update to a late write, unless there is a guard', () => {
    const lost = (key: string): { verdict: string[]; excused: number } => {
      const late = { from: 5000, token: 1, n: 1, by: null, wroteAt: 7100, releasedAt: 7200 }
      const events = [
        ...whole('one.1/1#1', key, late),
        ...whole('two.1/1#1', key, { from: 6990, token: 2, n: 1, by: null }),
      ]
      const entries = [entry(1, 'two.1/1#1', null, 2), entry(1, 'one.1/1#1', null, 1)]
      const { violations, counts } = check(
        historyOf([...clean.events, ...events], { ...clean.stores, [key]: entries }),
      )
      return { verdict: violations.map(({ check }) => check), excused: counts.excused }
    }
    expect(lost('plain-2')).toEqual({ verdict: [], excused: 1 })
    expect(lost('guarded-2')).toEqual({
      verdict: ['lost update', 'stale write through a guard'],
      excused: 0,
    })
  })

  it('must not be written to long after the end of the lock', () => {
    const key = 'plain-2'
    const wroteAt = (ms: number): string[] =>
      found(whole('one.1/1#1', key, { from: 5000, token: 1, n: 1, by: null, wroteAt: ms }), {
        [key]: [entry(1, 'one.1/1#1', null, 1)],
      })
    expect(wroteAt(7400)).toEqual([])
    expect(wroteAt(7600)).toEqual(['held after its end'])
  })

  it('must hold acknowledged writes once, and no rejected ones', () => {
    const key = 'plain-2'
    const write = whole('one.1/1#1', key, { from: 5000, token: 1, n: 1, by: null })
    expect(found(write, { [key]: [] })).toEqual(['write gone'])
    const refused = [
      ...write.slice(0, 5),
      ...steps('one.1/1#1', key, [{ ms: 5006, type: 'stale' }]),
    ]
    const one = entry(1, 'one.1/1#1', null, 1)
    expect(found(refused, { [key]: [one] })).toEqual(['refused and written'])
    expect(found(write, { [key]: [one, one] })).toContain('written twice')
  })

  it('may hold a write without an acknowledgement, of a client that was killed', () => {
    const key = 'plain-2'
    const killed = whole('one.1/1#1', key, { from: 5000, token: 1, n: 1, by: null }).slice(0, 5)
    const after = whole('two.1/1#1', key, { from: 8000, token: 2, n: 2, by: 'one.1/1#1' })
    const entries = [entry(1, 'one.1/1#1', null, 1), entry(2, 'two.1/1#1', 'one.1/1#1', 2)]
    expect(found([...killed, ...after], { [key]: entries })).toEqual([])
  })
})

describe('tokens', () => {
  const pair = (first: number, second: number, store = true): string[] => {
    const key = 'guarded-2'
    const events = [
      ...whole('one.1/1#1', key, { from: 5000, token: first, n: 1, by: null }),
      ...whole('two.1/1#1', key, { from: 6000, token: second, n: 2, by: 'one.1/1#1' }),
    ]
    const entries = [entry(1, 'one.1/1#1', null, first), entry(2, 'two.1/1#1', 'one.1/1#1', second)]
    return found(events, { [key]: store ? entries : [] }).filter((what) => what !== 'write gone')
  }

  it('that two locks share, or that fall, are detected', () => {
    expect(pair(1, 2)).toEqual([])
    expect(pair(1, 1, false)).toEqual(['token uniqueness'])
    expect(pair(2, 1, false)).toEqual(['token order'])
  })

  it('that fall but pass the guard are detected', () => {
    expect(pair(2, 1)).toEqual(['token order', 'stale write through a guard'])
  })

  it('of locks that were requested at the same time have no order', () => {
    const token = (op: string, ms: number, token: number): HistoryEvent[] =>
      steps(op, 'guarded-2', [
        { ms, type: 'called', kind: 'guarded' },
        { ms: 5000 + ms, type: 'token', token },
      ])
    const second = (ms: number): HistoryEvent[] => token('two.1/1#1', ms, 1)
    expect(found([...token('one.1/1#1', 5000, 2), ...second(5001)])).toEqual([])
    // The times of this process may be off by 2 ms.
    const worker = token('worker.1/1#1', 5000, 2)
    expect(found([...worker, ...second(10_002)])).toEqual([])
    expect(found([...worker, ...second(10_003)])).toEqual(['token order'])
  })
})
