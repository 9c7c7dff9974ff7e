import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { enoughForAll, expectedCoverage } from './checks/coverage.ts'
import { observe } from './engine/batch.ts'
import { runAll } from './engine/pool.ts'

type Options = { histories: number; seed: number; json?: true; trace?: true; coverage?: true }

/** Parses a seed. `fresh` draws one, so that each run tries other histories. */
const seedOf = (text: string): number =>
  text === 'fresh' ? Math.floor(Math.random() * 2 ** 31) + 1 : wholeNumber(2 ** 31)(text)

const { histories, seed, json, trace, coverage } = new Command('npm run simulate --')
  .description(
    'Run random histories of the real client with simulated faults of servers, clocks and networks',
  )
  .option('--histories <count>', 'the number of histories', wholeNumber(1e9), 20_000)
  .option(
    '--seed <number>',
    'the seed of the first history; the others count up from it. Or: fresh',
    seedOf,
    1,
  )
  .option('--trace', 'run only the first history, and print its events')
  .option('--coverage', 'print which faults and results were covered, and how often')
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<Options>()

const english = new Intl.NumberFormat('en')
const replay = (seed: number): string => `npm run simulate -- --seed ${seed} --histories 1 --trace`

const printTrace = async (): Promise<void> => {
  const { lines, violations, profile } = await observe(seed, true)
  if (violations.length > 0) process.exitCode = 1
  if (json) console.log(JSON.stringify({ seed, profile, violations, lines }))
  else {
    for (const line of lines) console.log(line)
    console.log(`Simulation: seed ${seed}, ${violations.length} violations.`)
  }
}

const run = async (): Promise<void> => {
  const isWatched = process.stderr.isTTY && !json
  const result = await runAll({ first: seed, count: histories, failures: 20 }, (done) => {
    if (isWatched) process.stderr.write(`\r${english.format(done)} of ${english.format(histories)}`)
  })
  if (isWatched) process.stderr.write('\r\u001B[K')
  const isLarge = result.histories >= enoughForAll
  const missed = isLarge ? expectedCoverage.filter((what) => !result.coverage.has(what)) : []
  const rate = Math.round(result.histories / result.seconds)
  if (result.failures.length > 0 || missed.length > 0) process.exitCode = 1
  if (json) {
    const covered = Object.fromEntries(result.coverage)
    console.log(JSON.stringify({ ...result, coverage: covered, rate, missed, seed }))
    return
  }
  if (coverage) {
    const table = new Table({ head: ['covered', 'times'] })
    const covered = [...result.coverage].sort(([, a], [, b]) => b - a)
    table.push(...covered.map(([what, times]) => [what, english.format(times)]))
    console.log(table.toString())
  }
  for (const { seed, profile, violations } of result.failures) {
    const [{ check, text }] = violations as [(typeof violations)[0] & object]
    console.log(`${check} (${profile}): ${text}\n  ${replay(seed)}`)
  }
  for (const what of missed) console.log(`never covered: ${what}`)
  console.log(
    `Simulation: ${english.format(result.histories)} histories from seed ${seed}, ${result.failures.length} violated, ${english.format(rate)} histories/s per core.`,
  )
}

try {
  await (trace ? printTrace() : run())
} catch (error) {
  reportFailure(error)
}
