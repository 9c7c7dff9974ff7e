import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption } from '../../tools/cli/options.ts'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { startServers } from '../shared/servers.ts'
import { maxStall, watchStalls } from '../shared/stalls.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { describeTarget } from '../shared/target.ts'
import { measureSick, type SickBursts } from './bursts.ts'
import { own, rivals } from './contestants.ts'
import { sickNodes } from './sick-node.ts'
import { tableOfBursts, tableOfTrials } from './tables.ts'
import { type SickTarget, targetsOf } from './targets.ts'
import { measureHanging, measureStopped, type Trials } from './trials.ts'

// Measures what one sick node costs, over real servers that are 3 to 10 ms away each way. Bursts over
// five nodes: clients acquire one lock at the same moment and are refused at once, with all nodes well
// in turn with one that hangs or is late. Double clicks the same way, each by two clients that know
// nothing of the nodes, since the memory of an isolate ends with it. Then a routine of two seconds under a lock with a ttl of one
// second, over three nodes, two requests at once: does anybody lose the lock, and do both run?

type Options = {
  bursts: number
  rivalBursts: number
  sizes: number[]
  trials: number
  rivalTrials: number
  pairs: number
  onlyOwn?: true
}

// Rivals treat all nodes alike, so one place of the sick node is enough for them.
const rivalNodes = sickNodes.filter(({ rank }) => rank === 0)

// In ms. Rivals that hang are not waited for as long.
const ownTiming = { limit: 10_000, quiet: 2500 }
const rivalTiming = { limit: 3000, quiet: 500 }
const ownTrialLimit = 15_000
const rivalTrialLimit = 6000

// Two clients give few answers, and the 90th percentile of a few answers varies.
const freshFactor = 5

const lineOf = (targets: readonly SickTarget[]): string =>
  targets.map((one) => `${one.contestant}, ${describeTarget(one)}`).join('; ')

await runCommand<Options>(
  {
    name: 'npm run bench:sick --',
    description: 'Measure what one sick node costs clients who want one lock',
    options: {
      bursts: countOption('--bursts <count>', 'of each size with each sick node', 100_000, 20),
      rivalBursts: countOption('--rival-bursts <count>', 'of each other library', 100_000, 5),
      sizes: sizesOption('--sizes <list>', 'how many clients come at once', burstSizes),
      trials: countOption('--trials <count>', 'of two requests, with each sick node', 1e6, 200),
      rivalTrials: countOption('--rival-trials <count>', 'of each other library', 1e6, 20),
      onlyOwn: flagOption('--only-own', 'leave the other libraries out'),
      pairs: countOption('--pairs <count>', 'trials at the same time', 200, 20),
    },
  },
  async (
    { bursts, rivalBursts, sizes, trials, rivalTrials, pairs, onlyOwn = false },
    { print },
  ) => {
    countUnhandled()
    await using started = new AsyncDisposableStack()
    let stalls = 0
    const countStall = (): void => void stalls++
    const servers = await startServers(5, countStall)
    started.defer(servers.close)
    started.defer(watchStalls(maxStall, countStall))
    // By rank, which is the order of names, and those are the urls.
    const ranked = servers.addresses
      .map((address, index) => ({ address, pid: servers.pids[index]! }))
      .sort((a, b) => (a.address.url < b.address.url ? -1 : 1))
    const addresses = ranked.map(({ address }) => address)

    const others = onlyOwn ? [] : rivals
    const allBursts: SickBursts[] = []
    for (const size of sizes) {
      for (const one of own) {
        const options = { bursts, ...ownTiming }
        allBursts.push(...(await measureSick(one, addresses, size, sickNodes, options)))
      }
      for (const one of others) {
        const options = { bursts: rivalBursts, ...rivalTiming }
        allBursts.push(...(await measureSick(one, addresses, size, rivalNodes, options)))
      }
      print(`bursts of ${size} are measured`)
    }

    const freshOptions = { bursts: bursts * freshFactor, ...ownTiming }
    const fresh = await measureSick(own[0]!, addresses, 2, sickNodes, freshOptions, true)
    print('double clicks of fresh clients are measured')

    const three = ranked.slice(0, 3)
    const threeAddresses = three.map(({ address }) => address)
    const pids = three.map(({ pid }) => pid)
    const allTrials: Trials[] = []
    const measureTrials = async (one: Contestant, trials: number, limit: number) => {
      const options = { trials, pairs, limit, stalls: () => stalls }
      allTrials.push(await measureHanging(one, threeAddresses, options))
      allTrials.push(await measureStopped(one, threeAddresses, pids, options))
    }
    for (const one of own) await measureTrials(one, trials, ownTrialLimit)
    for (const one of others.filter(({ lacks }) => !lacks['extends itself'] && !lacks.run)) {
      await measureTrials(one, rivalTrials, rivalTrialLimit)
    }

    const targets = targetsOf(allBursts, fresh, allTrials)
    const isMet = targets.every((target) => target.isMet)
    return {
      isMet,
      json: { isMet, bursts: allBursts, fresh, trials: allTrials, bars: targets },
      lines: [
        servers.engine,
        ...(allBursts.length > 0 ? [tableOfBursts(allBursts)] : []),
        'Double clicks, each by two clients that know nothing of the nodes:',
        tableOfBursts(fresh),
        tableOfTrials(allTrials),
        `One sick node: ${lineOf(targets)}.`,
      ],
    }
  },
)
