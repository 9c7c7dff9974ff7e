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

// Measures the cost of one slow node, over real servers that are 3 to 10 ms away each way. In bursts over five nodes,
// clients acquire one lock at the same moment, without waiting. Bursts with healthy nodes alternate with bursts where
// one node hangs or is late. Double clicks are measured in the same way, each with two new clients, because the
// memory of an isolate ends with it.

type Options = {
  bursts: number
  rivalBursts: number
  sizes: number[]
  onlyOwn?: true
}

// Other libraries treat all nodes alike, so one position of the slow node is enough for them.
const rivalNodes = sickNodes.filter(({ rank }) => rank === 0)

// In ms. Other libraries that hang get less time. This project rejects immediately, as the middleware does by
// default, instead of counting attempts.
const ownOptions = { limit: 10_000, quiet: 2500, acquireOptions: { wait: 0 } }
const rivalOptions = { limit: 3000, quiet: 500 }

// Two clients give few answers, so their 90th percentile varies.
const freshFactor = 5

/**
 * A burst of two to five clients takes one round (16 ms) or two (50 ms), so the median of 20 bursts varies between
 * them. These bursts are short, so there are three times as many. With three nodes of one kind, that makes a median
 * of 180 winners. In virtual time, two clients with a hanging node then miss their target in less than 0.1 % of runs,
 * instead of 30 %.
 */
const factorOf = (contestant: Contestant, size: number): number =>
  contestant.name === edgeRedlock.name && size <= 5 ? 3 : 1

await runCommand<Options>(
  {
    name: 'npm run bench -- sick',
    description: 'Measure the cost of one slow node to clients that compete for a lock',
    options: {
      bursts: countOption(
        '--bursts <count>',
        'the number of bursts of each size with each slow node; three times as many for up to five clients',
        100_000,
        20,
      ),
      rivalBursts: countOption(
        '--rival-bursts <count>',
        'the number of bursts for each other library',
        100_000,
        5,
      ),
      sizes: sizesOption('--sizes <list>', 'how many clients ask simultaneously', burstSizes),
      onlyOwn: flagOption('--only-own', 'leave the other libraries out'),
    },
  },
  async ({ bursts, rivalBursts, sizes, onlyOwn = false }, { print }) => {
    countUnhandled()
    await using started = new AsyncDisposableStack()
    const servers = await startServers(5)
    started.defer(servers.close)
    // By rank: the order of the names, which are the URLs.
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
    print('double clicks of new clients are measured')

    const targets = targetsOf(allBursts, fresh)
    return outcomeOf('One sick node', targets, { bursts: allBursts, fresh }, [
      servers.engine,
      terminalTable(allBursts, burstColumns),
      'Double clicks, each by two clients that know nothing of the nodes:',
      terminalTable(fresh, burstColumns),
    ])
  },
)
