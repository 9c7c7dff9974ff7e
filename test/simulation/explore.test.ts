import { expect, it } from 'vitest'
import { replay, search } from '../../verification/explore/search.ts'
import { worlds } from '../../verification/explore/worlds.ts'

const worldOf = (name: string) => worlds.find((world) => world.name === name)!

it('searches a world completely, whatever the order', async () => {
  const world = { ...worldOf('hand-over'), bounds: {} }
  const searches = [await search(world, 10_000, 1), await search(world, 10_000, 2)]
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
