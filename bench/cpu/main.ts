import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../dev/report-failure.ts'
import { wholeNumber } from '../../dev/whole-number.ts'
import { measure, type Measured } from './measure.ts'
import { type Match, matches } from './sides.ts'

// What a lock costs the processor and the memory: cycles of acquire and release, one after the
// other, over nodes that answer at once. Without any transport, on five nodes, beside the
// libraries for several; and over a `fetch` that answers at once, on one, beside @upstash/lock.
//
// Each library runs in a process of its own, in turn with the others. Bytes per cycle is what the
// heap grows by in 1000 cycles in which nothing is collected; bytes per lock what it has grown by,
// with what nobody needs collected, once so many locks are held.

const options = new Command('npm run bench:cpu --')
  .description('Measure what a lock costs the processor and the memory')
  .option('--json', 'print the result as JSON')
  .option('--seconds <count>', 'of one repetition of one library', wholeNumber(600), 2)
  .option('--repeat <count>', 'repetitions, whose median counts', wholeNumber(100), 5)
  .option('--locks <count>', 'held at once', wholeNumber(1_000_000), 100_000)
  .parse()
  .opts<{ json?: true; seconds: number; repeat: number; locks: number }>()

/** How many times as many cycles as the fastest rival this project does. */
const compare = (match: Match, [own, ...rivals]: readonly Measured[]) => {
  const { least } = matches[match]
  const fastest = rivals.reduce((best, one) => (one.perSecond > best.perSecond ? one : best))
  const ratio = own!.perSecond / fastest.perSecond
  return { match, fastest: fastest.name, ratio, least, isMet: ratio >= least }
}

try {
  const results: Measured[] = []
  const ratios: ReturnType<typeof compare>[] = []
  for (const match of Object.keys(matches) as Match[]) {
    const measured = await measure(match, options)
    results.push(...measured)
    ratios.push(compare(match, measured))
  }
  const isMet = ratios.every((ratio) => ratio.isMet)
  if (!isMet) process.exitCode = 1
  if (options.json) {
    const { seconds, repeat, locks } = options
    console.log(JSON.stringify({ isMet, seconds, repeat, locks, results, ratios }))
  } else {
    const table = new Table({
      head: ['', '', 'cycles/s', 'us each', 'KB each', 'KB per lock held'],
      style: { compact: true },
    })
    const kilobytes = (bytes: number | undefined): string =>
      bytes === undefined ? '' : (bytes / 1024).toFixed(1)
    for (const { match, name, perSecond, microseconds, bytesPerCycle, bytesPerLock } of results) {
      const cells = [perSecond.toFixed(0), microseconds.toFixed(1)]
      table.push([match, name, ...cells, kilobytes(bytesPerCycle), kilobytes(bytesPerLock)])
    }
    console.log(`${options.locks} locks held`)
    console.log(table.toString())
    const listed = ratios.map(({ match, fastest, ratio, least }) => {
      return `${match} ${ratio.toFixed(2)} of ${fastest} (at least ${least})`
    })
    console.log(`Cycles per second against the fastest rival: ${listed.join('; ')}.`)
  }
} catch (error) {
  reportFailure(error)
}
