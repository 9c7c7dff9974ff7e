import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { own, rivals } from '../shared/players.ts'
import { median } from '../shared/quantile.ts'
import { startServers } from '../shared/servers.ts'
import { barsOfBursts, barsOfWaiters } from './bars.ts'
import { type Bursts, playBursts } from './burst.ts'
import { lineOfBars, tableOfBursts, tableOfWaiters } from './tables.ts'
import { playWaiters, serialBound, type Waiters } from './waiters.ts'

// Many who want one lock, each a client by itself, over five real servers that are 3 to 10 ms away
// each way. Bursts: all ask at the same moment, with one try each; how often does exactly one of
// them get it, after how long, and what does it cost? Waiters: all wait for it, and give it back at
// once; how long until the last one has had it, against one client that takes as many locks with
// nobody about, what does it cost, and how much longer than the others did the unluckiest wait?

type Options = {
  json?: true
  bursts: number
  rivalBursts: number
  sizes: number[]
  waiters: number[]
  turns: number
  seconds: number
}
const list = (text: string): number[] => text.split(',').filter(Boolean).map(wholeNumber(200))

const { json, bursts, rivalBursts, sizes, waiters, turns, seconds } = new Command(
  'npm run bench:contention --',
)
  .description('Measure clients who want one lock at the same time')
  .option('--json', 'print the result as JSON')
  .option('--bursts <count>', 'of each size', wholeNumber(100_000), 100)
  .option(
    '--rival-bursts <count>',
    'of each size, of each other library',
    wholeNumber(100_000),
    100,
  )
  .option('--sizes <list>', 'how many clients come at once', list, [2, 3, 5, 10, 50])
  .option('--waiters <list>', 'how many wait', list, [20, 100])
  .option('--turns <count>', 'how often they wait, of this project', wholeNumber(1000), 5)
  .option('--seconds <count>', 'after which nobody is waited for', wholeNumber(600), 30)
  .parse()
  .opts<Options>()

countUnhandled()
const servers = await startServers(5)
try {
  const { addresses } = servers
  const burstsPlayed: Bursts[] = []
  for (const size of sizes) {
    for (const one of own) burstsPlayed.push(await playBursts(one, addresses, size, bursts))
    for (const one of rivals) burstsPlayed.push(await playBursts(one, addresses, size, rivalBursts))
  }
  const waitersPlayed: Waiters[] = []
  const bounds = new Map<number, number>()
  for (const count of waiters) {
    const alone: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      alone.push(await serialBound(edgeRedlock, addresses, count))
      for (const one of own) {
        waitersPlayed.push(await playWaiters(one, addresses, count, seconds * 1000))
      }
    }
    bounds.set(count, median(alone)!)
    for (const one of rivals) {
      waitersPlayed.push(await playWaiters(one, addresses, count, seconds * 1000))
    }
  }
  const bars = [...barsOfBursts(burstsPlayed), ...barsOfWaiters(waitersPlayed, bounds)]
  const isMet = bars.every((bar) => bar.isMet)
  if (!isMet) process.exitCode = 1
  if (json) {
    const results = { bursts: burstsPlayed, waiters: waitersPlayed, bounds: [...bounds] }
    console.log(JSON.stringify({ isMet, ...results, bars }))
  } else {
    console.log(servers.engine)
    if (burstsPlayed.length > 0) console.log(tableOfBursts(burstsPlayed))
    if (waitersPlayed.length > 0) console.log(tableOfWaiters(waitersPlayed, bounds))
    console.log(`Contention: ${lineOfBars(bars)}.`)
  }
} catch (error) {
  reportFailure(error)
} finally {
  await servers.close()
}
