import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { own, rivals } from '../shared/contestants.ts'
import { median } from '../shared/quantile.ts'
import { startServers } from '../shared/servers.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { type Bursts, measureBursts } from './burst.ts'
import { lineOfTargets, tableOfBursts, tableOfHandingOn, tableOfWaiters } from './tables.ts'
import { targetsOfBursts, targetsOfHandingOn, targetsOfWaiters } from './targets.ts'
import { measureWaiters, serialTime, type Waiters } from './waiters.ts'
import { type HandingOn, measureHandingOn } from './wake-up.ts'

// Measures clients that want one lock, each a client of its own, over five real servers that are 3 to
// 10 ms away each way. Bursts: all clients acquire at the same moment, with one attempt each. How
// often does exactly one of them get the lock, after how long, and at what cost? Waiters: all clients
// wait for the lock and release it at once. How long does it take until the last one has had it,
// against one client that acquires as many locks without contention; what does it cost, and how much
// longer than the median was the longest wait? Handing on: the same of this project over three gateways,
// with wake-up and without.

type Options = {
  bursts: number
  rivalBursts: number
  sizes: number[]
  waiters: number[]
  turns: number
  handingOn: number
  seconds: number
}

await runCommand<Options>(
  {
    name: 'npm run bench:contention --',
    description: 'Measure clients who want one lock at the same time',
    options: {
      bursts: countOption('--bursts <count>', 'of each size', 100_000, 100),
      rivalBursts: countOption(
        '--rival-bursts <count>',
        'of each size, of each other library',
        100_000,
        100,
      ),
      sizes: sizesOption('--sizes <list>', 'how many clients come at once', burstSizes),
      waiters: sizesOption('--waiters <list>', 'how many wait', [20, 100]),
      turns: countOption('--turns <count>', 'how often they wait, of this project', 1000, 5),
      handingOn: countOption(
        '--handing-on <count>',
        'how often the lock is handed on with and without wake-up',
        1000,
        5,
      ),
      seconds: countOption('--seconds <count>', 'after which no client is waited for', 600, 30),
    },
  },
  async ({ bursts, rivalBursts, sizes, waiters, turns, handingOn, seconds }) => {
    countUnhandled()
    await using started = new AsyncDisposableStack()
    const { addresses, engine, close } = await startServers(5)
    started.defer(close)
    const allBursts: Bursts[] = []
    for (const size of sizes) {
      for (const one of own) allBursts.push(await measureBursts(one, addresses, size, bursts))
      for (const one of rivals) {
        allBursts.push(await measureBursts(one, addresses, size, rivalBursts))
      }
    }
    const allWaiters: Waiters[] = []
    const bounds = new Map<number, number>()
    for (const count of waiters) {
      const alone: number[] = []
      for (let turn = 0; turn < turns; turn++) {
        alone.push(await serialTime(edgeRedlock, addresses, count))
        for (const one of own) {
          allWaiters.push(await measureWaiters(one, addresses, count, seconds * 1000))
        }
      }
      bounds.set(count, median(alone)!)
      for (const one of rivals) {
        allWaiters.push(await measureWaiters(one, addresses, count, seconds * 1000))
      }
    }
    const handedOn: HandingOn[] = handingOn > 0 ? await measureHandingOn(handingOn) : []
    const targets = [
      ...targetsOfBursts(allBursts),
      ...targetsOfWaiters(allWaiters, bounds),
      ...targetsOfHandingOn(handedOn),
    ]
    const isMet = targets.every((target) => target.isMet)
    const results = { bursts: allBursts, waiters: allWaiters, bounds: [...bounds], handedOn }
    return {
      isMet,
      json: { isMet, ...results, bars: targets },
      lines: [
        engine,
        ...(allBursts.length > 0 ? [tableOfBursts(allBursts)] : []),
        ...(allWaiters.length > 0 ? [tableOfWaiters(allWaiters, bounds)] : []),
        ...(handedOn.length > 0 ? [tableOfHandingOn(handedOn)] : []),
        `Contention: ${lineOfTargets(targets)}.`,
      ],
    }
  },
)
