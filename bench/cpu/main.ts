import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { type Match, matches } from './libraries.ts'
import { measure, type Measured } from './measure.ts'
import type { Keys } from './measured-process.ts'
import { bareMicroseconds, cpuColumns, targetsOf } from './results.ts'

// Measures the CPU time and memory of a lock: cycles of acquire and release, one after the other, over nodes that
// reply immediately. There are two matches. One compares libraries for several nodes, over five nodes without any
// transport. The other is against @upstash/lock, over one node behind a `fetch` that replies immediately.
//
// Each cycle locks another key, as unrelated requests do. A library with an object per key creates one each time. A
// second measurement locks the same key in all cycles. Then the object is created only once, and in some libraries
// the secret with it.
//
// Each library runs in its own process, in turn with the others. Seconds are CPU seconds of its thread. The best of
// many slices of 0.1 s counts, so other load on the machine has little effect. Bytes per cycle is the growth of the
// heap in 1,000 cycles without a collection, the least of five. Bytes per lock is its growth, after a collection,
// while all locks are held.

type Options = { seconds: number; repeat: number; locks: number }

/** The ratio of this project's cycles to those of the fastest other library. */
const compare = (match: Match, keys: Keys, [bare, own, ...rivals]: readonly Measured[]) => {
  const rateOf = ({ perSecond }: Measured): number => perSecond[keys]
  const fastest = rivals.reduce((best, one) => (rateOf(one) > rateOf(best) ? one : best))
  const ratio = rateOf(own!) / rateOf(fastest)
  // The ratio for the cycles without a library.
  const bound = rateOf(bare!) / rateOf(fastest)
  return { match, keys, fastest: fastest.name, ratio, bound }
}
type Ratio = ReturnType<typeof compare>

const describe = ({ match, keys, fastest, ratio, bound }: Ratio): string => {
  const about = keys === 'same' ? `${match}, one key` : match
  return `${about}: ${ratio.toFixed(2)} of ${fastest} (no library ${bound.toFixed(2)})`
}

await runCommand<Options>(
  {
    name: 'npm run bench -- cpu',
    description: 'Measure the CPU time and memory of a lock',
    options: {
      seconds: countOption(
        '--seconds <count>',
        'the duration of one repetition of one library',
        600,
        1,
      ),
      repeat: countOption(
        '--repeat <count>',
        'the number of repetitions, in turn with the other libraries',
        100,
        8,
      ),
      locks: countOption(
        '--locks <count>',
        'the number of locks that are held simultaneously',
        1_000_000,
        100_000,
      ),
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
    const bound = bareMicroseconds(results).toFixed(2)
    const about = `Cycle over five stub nodes, where no library takes ${bound} us`
    return outcomeOf(about, targetsOf(results), { seconds, repeat, locks, results, ratios }, [
      `${locks} locks held; the time is that of the best slice, in processor time of one thread of this machine`,
      terminalTable(results, cpuColumns),
      `Cycles per second against the fastest rival, without a target: ${ratios.map(describe).join('; ')}.`,
    ])
  },
)
