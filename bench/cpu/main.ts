import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import type { Keys } from './child.ts'
import { measure, type Measured } from './measure.ts'
import { type Match, matches } from './sides.ts'

// What a lock costs the processor and the memory: cycles of acquire and release, one after the
// other, over nodes that answer at once. Without any transport, on five nodes, beside the
// libraries for several; and over a `fetch` that answers at once, on one, beside @upstash/lock.
//
// Each cycle is about another key, as requests are that have nothing to do with each other; a
// library whose object is for one key makes one each time. Beside that all are about one key, with
// that object made once, and for some of them its secret with it.
//
// Each library runs in a process of its own, in turn with the others. Seconds are those in which its
// thread has the processor, so that what else the machine does counts for little. Bytes per cycle is what the
// heap grows by in 1000 cycles in which nothing is collected; bytes per lock what it has grown by,
// with what nobody needs collected, once so many locks are held.

const options = new Command('npm run bench:cpu --')
  .description('Measure what a lock costs the processor and the memory')
  .option('--json', 'print the result as JSON')
  .option('--seconds <count>', 'of one repetition of one library', wholeNumber(600), 1)
  .option('--repeat <count>', 'repetitions, whose median counts', wholeNumber(100), 5)
  .option('--locks <count>', 'held at once', wholeNumber(1_000_000), 100_000)
  .parse()
  .opts<{ json?: true; seconds: number; repeat: number; locks: number }>()

/** How many times as many cycles as the fastest rival this project does. */
const compare = (match: Match, keys: Keys, [bare, own, ...rivals]: readonly Measured[]) => {
  const rateOf = ({ perSecond }: Measured): number => perSecond[keys]
  const fastest = rivals.reduce((best, one) => (rateOf(one) > rateOf(best) ? one : best))
  const ratio = rateOf(own!) / rateOf(fastest)
  const least = keys === 'fresh' ? matches[match].least : undefined
  const isMet = least === undefined || ratio >= least
  // Who did nothing at all would be so many times as fast.
  const bound = rateOf(bare!) / rateOf(fastest)
  return { match, keys, fastest: fastest.name, ratio, bound, least, isMet }
}

try {
  const results: Measured[] = []
  const ratios: ReturnType<typeof compare>[] = []
  for (const match of Object.keys(matches) as Match[]) {
    const measured = await measure(match, options)
    results.push(...measured)
    ratios.push(compare(match, 'fresh', measured), compare(match, 'same', measured))
  }
  const isMet = ratios.every((ratio) => ratio.isMet)
  if (!isMet) process.exitCode = 1
  if (options.json) {
    const { seconds, repeat, locks } = options
    console.log(JSON.stringify({ isMet, seconds, repeat, locks, results, ratios }))
  } else {
    const table = new Table({
      head: ['', '', 'cycles/s', 'us each', 'of one key/s', 'KB each', 'KB per lock held'],
      style: { compact: true },
    })
    const kilobytes = (bytes: number | undefined): string =>
      bytes === undefined ? '' : (bytes / 1024).toFixed(1)
    for (const { match, name, perSecond, bytesPerCycle, bytesPerLock } of results) {
      const { fresh, same } = perSecond
      const cells = [fresh.toFixed(0), (1_000_000 / fresh).toFixed(1), same.toFixed(0)]
      table.push([match, name, ...cells, kilobytes(bytesPerCycle), kilobytes(bytesPerLock)])
    }
    console.log(`${options.locks} locks held`)
    console.log(table.toString())
    const listed = ratios.map(({ match, fastest, ratio, bound, least }) => {
      const about = `${least === undefined ? 'one key' : `at least ${least}`}; no library ${bound.toFixed(2)}`
      return `${match} ${ratio.toFixed(2)} of ${fastest} (${about})`
    })
    console.log(`Cycles per second against the fastest rival: ${listed.join('; ')}.`)
  }
} catch (error) {
  reportFailure(error)
}
