import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { driftFactor, nodes, processes, ttl } from '../../verification/chaos/campaign/settings.ts'
import { nodeFaults } from '../../verification/chaos/nemesis/fault.ts'
import { minority, phases, schedule } from '../../verification/chaos/nemesis/schedule.ts'

const seeds = fc.integer({ min: 1, max: 2 ** 31 })

describe('the schedule of the nemesis', () => {
  it('is the same for the same seed', () => {
    expect(schedule(7, 3)).toEqual(schedule(7, 3))
    expect(schedule(7, 3)).not.toEqual(schedule(8, 3))
  })

  it('affects at most a minority at any moment, except in outages', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const faults = schedule(seed, 3).filter((fault) => fault.nodes.length > 0)
        const [from, until] = phases.majority
        const isOutage = (at: number): boolean => at % 60_000 >= from && at % 60_000 <= until
        for (const { from: at } of faults.filter((fault) => !isOutage(fault.from))) {
          const on = faults.filter((one) => one.from <= at && one.until + one.abstains > at)
          expect(new Set(on.flatMap((one) => one.nodes)).size).toBeLessThanOrEqual(minority)
          // No node has two faults at once.
          expect(on.flatMap((one) => one.nodes)).toHaveLength(
            new Set(on.flatMap((one) => one.nodes)).size,
          )
        }
      }),
    )
  })

  it('has one outage of a majority each minute, and no faults in its first seconds', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const faults = schedule(seed, 2)
        for (const minute of [0, 1]) {
          const [from, until] = phases.majority.map((at) => at + 60_000 * minute)
          const hit = faults.filter((fault) => fault.from >= from! && fault.until <= until!)
          expect(new Set(hit.flatMap((fault) => fault.nodes)).size).toBeGreaterThan(minority)
          const calm = faults.filter(({ from }) => Math.floor(from / 8000) === 7.5 * minute)
          expect(calm).toEqual([])
        }
      }),
    )
  })

  it('loses data of volatile nodes only, and pauses only processes that may be paused', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { kind, nodes: hit, abstains, amount, processes: names } of schedule(seed, 2)) {
          const isVolatile = kind === 'volatile redis killed'
          // Keys live on that were granted while the clock was ahead.
          const isAhead = kind === 'clock jumps' && amount > 0
          expect(abstains > 0).toBe(isVolatile || isAhead)
          if (isAhead) expect(abstains).toBe(amount)
          if (kind === 'clock nudged') expect(Math.abs(amount)).toBeLessThan(ttl * driftFactor)
          if (/redis killed/.test(kind)) {
            for (const index of hit) expect(nodes[index]!.isPersistent).toBe(!isVolatile)
          }
          if (kind !== 'client paused') continue
          expect(processes.find(({ name }) => name === names[0])!.mayPause).toBe(true)
        }
      }),
    )
  })

  it('contains every kind of fault', () => {
    const kinds = new Set(schedule(1, 10).map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([...nodeFaults, 'client killed', 'client paused'].sort())
  })
})
