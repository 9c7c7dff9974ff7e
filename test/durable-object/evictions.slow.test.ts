import { afterEach, expect, it } from 'vitest'
import { freshSeed } from '../../tools/cli/options.ts'
import { crowd, violationsOf } from './crowd.ts'
import { type ObjectWorker, startObjects } from './start.ts'

// Clients compete for locks over three objects, each of which is evicted again and again, at random.

let objects: ObjectWorker
afterEach(() => objects.stop())

it.each([1, freshSeed()])(
  'objects that are evicted keep one holder at a time, and tokens rise (seed %d)',
  async (seed) => {
    objects = await startObjects()
    const { holdings, evictions, unavailable } = await crowd(
      objects,
      seed,
      ({ length }) => length >= 400,
    )
    expect(violationsOf(holdings)).toEqual([])
    expect(evictions).toBeGreaterThan(100)
    expect(holdings.filter(({ token }) => token > 0).length).toBeGreaterThan(300)
    // An eviction interrupts a call, which is then repeated.
    expect(unavailable).toBeLessThan(holdings.length / 4)
  },
  120_000,
)

it('two holders over objects that forget their keys when they are evicted are noticed', async () => {
  objects = await startObjects('ForgetfulNode')
  const isNoticed = (holdings: Parameters<typeof violationsOf>[0]): boolean =>
    violationsOf(holdings).some((one) => one.startsWith('two holders of '))
  const { holdings } = await crowd(
    objects,
    freshSeed(),
    (seen) => seen.length >= 5000 || isNoticed(seen),
  )
  expect(isNoticed(holdings)).toBe(true)
}, 120_000)
