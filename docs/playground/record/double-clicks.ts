import { type Client, clients, type Fault, idOf, situations } from '../choices.ts'
import { visitWithRedlock } from './redlock.ts'
import type { Scene } from './scenes.ts'
import { visit } from './visit.ts'
import type { World } from './world.ts'

// Ms between two clicks, and of the work that each one starts.
const [gap, work] = [2, 40]

const strike = (world: World, { node, fault }: Fault): void =>
  fault === 'stopped'
    ? world.strike(node - 1, { kind: 'refuses' }, 'is stopped')
    : world.strike(node - 1, { kind: 'hangs', executes: 'never' }, 'is frozen')

const doubleClick = (client: Client, at: Fault | undefined): Scene => ({
  id: idOf(client, at),
  seed: 1,
  nodes: 3,
  play: (world) => {
    if (at) strike(world, at)
    return [0, gap].map((start) =>
      client === 'redlock'
        ? visitWithRedlock(world, start, work)
        : visit(world, { at: start, work, options: { strategy: client } }),
    )
  },
})

/** A double click with each client, in each situation: all over the same network. */
export const doubleClicks: readonly Scene[] = clients.flatMap((client) =>
  situations.map((at) => doubleClick(client, at)),
)
