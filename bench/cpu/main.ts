import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeTarget } from '../shared/target.ts'
import { type Match, matches } from './libraries.ts'
import { measure, type Measured } from './measure.ts'
import type { Keys } from './measured-process.ts'
import { bareMicroseconds, targetsOf } from './targets.ts'

// Measures what a lock costs the processor and the memory: cycles of acquire and release, one after
// the other, over nodes that answer at once. There are two matches: five nodes without any transport,
// beside the libraries for several nodes; and one node behind a `fetch` that answers at once, beside
// @upstash/lock.
//
// Each cycle locks another key, as unrelated requests do; a library with an object per key makes one
// each time. A second measurement locks one key in all cycles, with that object made once, and in
// some libraries its secret with it.
//
// Each library runs in a process of its own, in turn with the others. Seconds are processor seconds of
// its thread, and the best of many slices of a tenth of one counts, so that other load on the machine decides
// little. Bytes per cycle is the growth of the heap in 1,000 cycles without a collection, the least of five;
// bytes per lock is its growth, after a collection, while all locks are held.

type Options = { seconds: number; repeat: number; locks: number }

/** The ratio of this project's cycles to those of the fastest rival. */
const compare = (match: Match, keys: Keys, [bare, own, ...rivals]: readonly Measured[]) => {
  const rateOf = ({ perSecond }: Measured): number => perSecond[keys]
  const fastest = rivals.reduce((best, one) => (rateOf(one) > rateOf(best) ? one : best))
  const ratio = rateOf(own!) / rateOf(fastest)
  // The ratio of a library that did nothing at all.
  const bound = rateOf(bare!) / rateOf(fastest)
  return { match, keys, fastest: fastest.name, ratio, bound }
}
type Ratio = ReturnType<typeof compare>

const kilobytes = (bytes: number | undefined): string =>
  bytes === undefined ? '' : (bytes / 1024).toFixed(1)

const tableOf = (results: readonly Measured[]): string => {
  const table = new Table({
    head: ['', '', 'cycles/s', 'us each', 'of one key/s', 'KB each', 'KB per lock held'],
    style: { compact: true },
  })
  for (const { match, name, perSecond, bytesPerCycle, bytesPerLock } of results) {
    const { fresh, same } = perSecond
    const cells = [fresh.toFixed(0), (1_000_000 / fresh).toFixed(1), same.toFixed(0)]
    table.push([match, name, ...cells, kilobytes(bytesPerCycle), kilobytes(bytesPerLock)])
  }
  return table.toString()
}

const describe = ({ match, keys, fastest, ratio, bound }: Ratio): string => {
  const about = keys === 'same' ? `${match}, one key` : match
  return `${about}: ${ratio.toFixed(2)} of ${fastest} (no library ${bound.toFixed(2)})`
}

await runCommand<Options>(
  {
    name: 'npm run bench:cpu --',
    description: 'Measure what a lock costs the processor and the memory',
    options: {
      seconds: countOption('--seconds <count>', 'of one repetition of one library', 600, 1),
      repeat: countOption(
        '--repeat <count>',
        'repetitions, in turn with the other libraries',
        100,
        8,
      ),
      locks: countOption('--locks <count>', 'held at once', 1_000_000, 100_000),
    },
  },
  async ({ seconds, repeat, locks }) => {
    const results: Measured[] = []
    const ratios: Ratio[] = []
    for (const match of Object.keys(matches) as Match[]) {
      const measured = await measure(match, { seconds, repeat, locks })
      results.push(...measured)
      ratios.push(compare(match, 'fresh', measured), compare(match, 'same', measured))
    }
    const bars = targetsOf(results)
    const isMet = bars.every((bar) => bar.isMet)
    return {
      isMet,
      json: { isMet, seconds, repeat, locks, results, ratios, bars },
      lines: [
        `${locks} locks held; the time is that of the best slice, in processor time of one thread of this machine`,
        tableOf(results),
        `Cycles per second against the fastest rival, without a target: ${ratios.map(describe).join('; ')}.`,
        `Cycle over five stub nodes, where no library takes ${bareMicroseconds(results).toFixed(2)} us: ${bars.map(describeTarget).join('; ')}.`,
      ],
    }
  },
)
