import { nameClient } from './words.ts'
import { makeStore, sendRequest, visit } from './visit.ts'
import type { VirtualClient, World } from './world.ts'

/** What clients do in a world. The page describes each scene, and has a heading with its id. */
export type Scene = {
  readonly id: string
  /** The same seed gives the same history. */
  readonly seed: number
  readonly nodes: number
  readonly slots?: number
  readonly hasStore?: boolean
  readonly play: (world: World) => readonly Promise<void>[]
}

const visits = (world: World, times: readonly number[], plan = {}): Promise<void>[] =>
  times.map((at) => visit(world, { at, ...plan }))

export const scenes: readonly Scene[] = [
  { id: 'free-lock', seed: 1, nodes: 3, play: (world) => [visit(world)] },
  { id: 'split-vote', seed: 34, nodes: 5, play: (world) => visits(world, [0, 0, 0]) },
  {
    id: 'waiting',
    seed: 1,
    nodes: 3,
    play: (world) => visits(world, [0, 10], { wait: 3_000, work: 100 }),
  },
  {
    id: 'wake-up',
    seed: 1,
    nodes: 3,
    play: (world) => visits(world, [0, 10], { wait: 3_000, work: 250, isWoken: true }),
  },
  {
    id: 'slots',
    seed: 1,
    nodes: 3,
    slots: 2,
    play: (world) => visits(world, [0, 10, 20], { wait: 3_000, work: 80, limit: 2 }),
  },
  {
    id: 'paused-holder',
    seed: 1,
    nodes: 3,
    hasStore: true,
    play: (world) => {
      const write = makeStore(world)
      const options = { ttl: 400 }
      const fate = ({ client, process }: VirtualClient): void => {
        process.pause(700, true)
        world.notes.say(`${nameClient(client)} stands still`)
        world.notes.state(client, 'stands still')
      }
      return [
        visit(world, { options, fate, write }),
        visit(world, { at: 360, wait: 3_000, options, write }),
      ]
    },
  },
  {
    id: 'crashed-holder',
    seed: 1,
    nodes: 3,
    play: (world) => {
      const options = { ttl: 400 }
      const fate = ({ client, process }: VirtualClient): void => {
        process.kill()
        world.notes.say(`${nameClient(client)} crashes`)
        world.notes.state(client, 'crashed')
      }
      return [visit(world, { options, fate }), visit(world, { at: 300, wait: 3_000, options })]
    },
  },
  {
    id: 'one-answer',
    seed: 1,
    nodes: 3,
    play: (world) => [sendRequest(world, 0), sendRequest(world, 10)],
  },
]
