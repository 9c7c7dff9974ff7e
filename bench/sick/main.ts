import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption } from '../../tools/cli/options.ts'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { measureConditions } from '../bursts/conditions.ts'
import type { Measured } from '../bursts/measured.ts'
import { openRealWorld } from '../bursts/real-world.ts'
import {
  freshGroup,
  sickConditions,
  sickGroup,
  type SickNode,
  sickNodes,
} from '../bursts/sick-nodes.ts'
import { burstColumns } from '../bursts/table.ts'
import { own } from '../shared/own.ts'
import { rivals } from '../shared/rivals.ts'
import { startServers } from '../shared/servers.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { faultOf } from './faults.ts'
import { targetsOf } from './results.ts'

// Measures what one sick node costs, over real servers that are 3 to 10 ms away each way. Bursts over
// five nodes: clients acquire one lock at the same moment and are refused at once, with all nodes well
// in turn with one that hangs or is late. Double clicks the same way, each by two clients that know
// nothing of the nodes, since the memory of an isolate ends with it.

type Options = {
  bursts: number
  rivalBursts: number
  sizes: number[]
  onlyOwn?: true
}

// Rivals treat all nodes alike, so one place of the sick node is enough for them.
const rivalNodes = sickNodes.filter(({ rank }) => rank === 0)

// In ms. Rivals that hang are not waited for as long. This project refuses at once, as the middleware
// does by default, instead of counting attempts.
const ownOptions = { limit: 10_000, quiet: 2500, acquireOptions: { wait: 0 } }
const rivalOptions = { limit: 3000, quiet: 500 }

// Two clients give few answers, and the 90th percentile of a few answers varies.
const freshFactor = 5

/**
 * A burst of two to five clients has its winner after one round (16 ms) or two (50 ms), so the median of 20
 * bursts is now the one and now the other. Such bursts are short: three times as many, and the winners with
 * the three nodes of one kind as one statistic, make a median of 180. Drawn from bursts in virtual time, two
 * clients with a node that hangs then miss their target in less than 0.1 % of runs, instead of in 30 %.
 */
const factorOf = (contestant: Contestant, size: number): number =>
  contestant.name === edgeRedlock.name && size <= 5 ? 3 : 1

await runCommand<Options>(
  {
    name: 'npm run bench -- sick',
    description: 'Measure what one sick node costs clients who want one lock',
    options: {
      bursts: countOption(
        '--bursts <count>',
        'of each size with each sick node; three times as many of up to five clients',
        100_000,
        20,
      ),
      rivalBursts: countOption('--rival-bursts <count>', 'of each other library', 100_000, 5),
      sizes: sizesOption('--sizes <list>', 'how many clients come at once', burstSizes),
      onlyOwn: flagOption('--only-own', 'leave the other libraries out'),
    },
  },
  async ({ bursts, rivalBursts, sizes, onlyOwn = false }, { print }) => {
    countUnhandled()
    await using started = new AsyncDisposableStack()
    const servers = await startServers(5)
    started.defer(servers.close)
    // By rank, which is the order of names, and those are the urls.
    const addresses = servers.addresses.toSorted((a, b) => (a.url < b.url ? -1 : 1))
    const others = onlyOwn ? [] : rivals

    const measureBursts = (
      contestant: Contestant,
      group: string,
      size: number,
      count: number,
    ): Promise<Measured[]> => {
      const isOwn = own.includes(contestant)
      const nodes = isOwn ? sickNodes : rivalNodes
      const labels = { contestant: contestant.name, group, size, nodes, pools: isOwn }
      const open = (node?: SickNode) =>
        openRealWorld({
          contestant,
          addresses,
          size,
          isFresh: group === freshGroup,
          faultOf: node && faultOf(node),
          ...(isOwn ? ownOptions : rivalOptions),
        })
      return measureConditions(labels, sickConditions(labels, open), count)
    }
    const allBursts: Measured[] = []
    for (const size of sizes) {
      for (const one of own) {
        const count = bursts * factorOf(one, size)
        allBursts.push(...(await measureBursts(one, sickGroup, size, count)))
      }
      for (const one of others) {
        allBursts.push(...(await measureBursts(one, sickGroup, size, rivalBursts)))
      }
      print(`bursts of ${size} are measured`)
    }
    const fresh = await measureBursts(own[0]!, freshGroup, 2, bursts * freshFactor)
    print('double clicks of fresh clients are measured')

    const targets = targetsOf(allBursts, fresh)
    return outcomeOf('One sick node', targets, { bursts: allBursts, fresh }, [
      servers.engine,
      terminalTable(allBursts, burstColumns),
      'Double clicks, each by two clients that know nothing of the nodes:',
      terminalTable(fresh, burstColumns),
    ])
  },
)
