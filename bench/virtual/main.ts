import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { measureConditions } from '../bursts/conditions.ts'
import type { Measured } from '../bursts/measured.ts'
import { nearTargets } from '../bursts/near.ts'
import { nearby, withSick } from '../bursts/network.ts'
import { remainsConditions, remainsTargets } from '../bursts/remains.ts'
import {
  freshGroup,
  laggingNodes,
  limitWhere,
  sickConditions,
  sickGroup,
  sickLabels,
  type SickNode,
  sickNodes,
} from '../bursts/sick-nodes.ts'
import { burstColumns } from '../bursts/table.ts'
import { limitTargets, winnerTargets } from '../bursts/targets.ts'
import { openVirtualWorld, strategies } from '../bursts/virtual-world.ts'
import {
  measureWaiters,
  waiterColumns,
  type WaiterLimits,
  type Waiters,
  waiterTargets,
} from '../bursts/waiters.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'

// Measures clients that want one lock at the same time, in virtual time. This is the protocol alone, without the
// machine, and with the same figures in every run. `npm run bench -- contention` and `npm run bench -- sick` measure
// the same on real servers, including the work of the machine.

type Options = { sizes: number[]; bursts: number; sickBursts: number; worlds: number; seed: number }

// Targets for a faulty node apply to the default strategy. Small bursts give fewer answers each, so more are measured.
const factorOf = (contestant: string, size: number): number =>
  contestant === edgeRedlock.name && size < 50 ? 5 : 1

// The targets for waiting clients with the default strategy, by the number of clients. Each figure is a maximum.
const waiterLimits: WaiterLimits = {
  20: { ratio: 1.45, requests: 18 },
  100: { ratio: 1.35, requests: 55, unluckiest: 4 },
}

await runCommand<Options>(
  {
    name: 'npm run bench -- virtual',
    description: 'Measure contention in virtual time, the same in every run',
    options: {
      sizes: sizesOption('--sizes <list>', 'how many clients ask simultaneously', burstSizes),
      bursts: countOption('--bursts <count>', 'the number of bursts of each size', 1e6, 1000),
      sickBursts: countOption(
        '--sick-bursts <count>',
        'the number of bursts of 50 clients with each faulty node; five times as many for fewer clients',
        1e6,
        100,
      ),
      worlds: countOption(
        '--worlds <count>',
        'the number of worlds in which clients wait',
        1e6,
        20,
      ),
      seed: seedOption(),
    },
  },
  async ({ sizes, bursts: count, sickBursts, worlds, seed }) => {
    const bursts: Measured[] = []
    const sick: Measured[] = []
    const fresh: Measured[] = []
    const remains: Measured[] = []
    const waiters: Waiters[] = []
    for (const contestant of Object.keys(strategies)) {
      const measureSick = (group: string, size: number): Promise<Measured[]> => {
        const options = { contestant, group, size, nodes: [...sickNodes, ...laggingNodes] }
        const isFresh = group === freshGroup
        const open = (node?: SickNode) =>
          openVirtualWorld({ ...options, seed, isFresh, network: node && withSick(nearby, node) })
        const conditions = sickConditions(options, open)
        return measureConditions(options, conditions, sickBursts * factorOf(contestant, size))
      }
      for (const size of [1, ...sizes]) {
        const labels = { contestant, group: 'all nodes well', size }
        const well = { name: 'all well', open: () => openVirtualWorld({ contestant, size, seed }) }
        bursts.push(...(await measureConditions(labels, [well], count)))
        if (size > 1) sick.push(...(await measureSick(sickGroup, size)))
      }
      fresh.push(...(await measureSick(freshGroup, 2)))
      for (const size of [2, 20, 100]) {
        const open = (size: number, round: number) =>
          openVirtualWorld({ contestant, size, seed: seed + round, call: 'patient lock' })
        const openAlone = (size: number, round: number) =>
          openVirtualWorld({ contestant: edgeRedlock.name, size, seed: seed + round })
        waiters.push(await measureWaiters({ contestant, size, rounds: worlds, open, openAlone }))
      }
    }
    const aloneWithRemains = {
      contestant: edgeRedlock.name,
      group: 'remains of a crashed client and a far node',
      size: 1,
    }
    for (const one of remainsConditions(seed))
      remains.push(...(await measureConditions(aloneWithRemains, [one], sickBursts)))
    const targets = [
      ...winnerTargets([...bursts, ...sick, ...fresh]),
      ...limitTargets([...sick, ...fresh], sickLabels, limitWhere),
      ...nearTargets(bursts, edgeRedlock.name),
      ...remainsTargets(remains),
      ...waiterTargets(waiters, edgeRedlock.name, waiterLimits),
    ]
    return outcomeOf('Virtual time', targets, { bursts, sick, fresh, remains, waiters }, [
      terminalTable(bursts, burstColumns),
      terminalTable(sick, burstColumns),
      'Double clicks, each by two clients that know nothing of the nodes:',
      terminalTable(fresh, burstColumns),
      'One client beside the remains of a crashed one, with a far node:',
      terminalTable(remains, burstColumns),
      terminalTable(waiters, waiterColumns),
    ])
  },
)
