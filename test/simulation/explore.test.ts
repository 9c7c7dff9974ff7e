import { expect, it } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { forceRelease } from '../../src/index.ts'
import { replay, search } from '../../verification/explore/search.ts'
import type { Client } from '../../verification/explore/world.ts'
import { worlds } from '../../verification/explore/worlds.ts'

const worldOf = (name: string) => worlds.find((world) => world.name === name)!

it('searches a world completely, whatever the order', async () => {
  const world = { ...worldOf('hand-over'), bounds: {} }
  const searches = [await search(world, 10_000, 1), await search(world, 10_000, 3)]
  expect(searches).toMatchObject([
    { isComplete: true, violation: undefined },
    { isComplete: true, violation: undefined },
  ])
  const [one, other] = searches.map(({ states, ends }) => ({ states, ends }))
  expect(one!.states).toBeGreaterThan(1_000)
  expect(other).toEqual(one)
})

it('stops at a number of states', async () => {
  const found = await search(worldOf('click'), 300, 1)
  expect(found).toMatchObject({ isComplete: false, states: 300 })
})

it('finds two holders if the clocks of nodes are twice as fast, and replays the path to them', async () => {
  const world = { ...worldOf('expired'), nodeRates: [2, 2, 1] }
  const { violation } = await search(world, 50_000, 1)
  expect(violation).toMatchObject({
    check: 'exclusion',
    text: expect.stringContaining('hold the lock'),
  })
  const { violation: again } = await replay(world, violation!.path)
  expect(again?.check).toBe('exclusion')
})

it('finds two holders if a node that may lose its data votes immediately after a restart', async () => {
  const world = { ...worldOf('restarted'), isVolatile: false }
  const { violation } = await search(world, 50_000, 1)
  expect(violation?.check).toBe('exclusion')
})

// Worlds in which nothing can go wrong would search nothing.

it('finds two holders if a forced release is not announced', async () => {
  const world = worldOf('forced')
  const force = async ({ redlock, key, goOn }: Client) => {
    await goOn()
    await forceRelease(redlock, key)
  }
  const programs = [...world.programs.slice(0, 2), force]
  const { violation } = await search({ ...world, programs }, 50_000, 1)
  expect(violation?.check).toBe('exclusion')
})

it('acquires locks on volatile nodes', async () => {
  const world = { ...worldOf('restarted'), nodeRates: [2, 2, 1], bounds: { leaps: 1 } }
  const { violation } = await search(world, 50_000, 1)
  expect(violation?.check).toBe('exclusion')
})

it('reads the record of another client', async () => {
  const world = worldOf('record')
  const read = async ({ redlock, key, goOn, observe }: Client) => {
    await goOn()
    const value = await once(redlock, key, { keepFor: 60_000, wait: 0 }, () => 'own')
    observe.receives(value === 'own' ? value : `read: ${value}`)
  }
  const { violation } = await search({ ...world, programs: [world.programs[0]!, read] }, 50_000, 1)
  expect(violation).toMatchObject({ check: 'one record', text: expect.stringContaining('read: ') })
})
