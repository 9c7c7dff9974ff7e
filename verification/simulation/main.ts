import { Option } from 'commander'
import { type Outcome, runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption, freshSeed, maxSeed } from '../../tools/cli/options.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { enoughFor, expectedCoverage } from './checks/coverage.ts'
import { summarize } from './checks/distribution.ts'
import { promises } from './checks/weather.ts'
import { winnerRates } from './checks/winner-rates.ts'
import { observe } from './engine/batch.ts'
import { runAll } from './engine/pool.ts'
import { scenarioOption } from './scenario-option.ts'
import type { ScenarioChoice, ScenarioName } from './scenarios/names.ts'
import { coverageTable, timesTable, winnersTable } from './tables.ts'

type Options = {
  histories: number
  seed: number
  scenario: ScenarioChoice
  trace?: true
  coverage?: true
  times?: true
}

/** Parses a seed. `fresh` draws a random one, so that each run covers different histories. */
const parseSeed = (text: string): number =>
  text === 'fresh' ? freshSeed() : wholeNumber(maxSeed)(text)

const english = new Intl.NumberFormat('en')
const replay = (scenario: ScenarioName, seed: number): string =>
  `npm run verify -- simulate --scenario ${scenario} --seed ${seed} --histories 1 --trace`

// The output lists at most this many bursts without a winner.
const maxListed = 20

/** Runs a single history and prints all its events. */
const traceOne = async ({ seed, scenario: choice }: Options): Promise<Outcome> => {
  const { lines, violations, scenario, profile } = await observe(seed, choice, true)
  return {
    isMet: violations.length === 0,
    json: { seed, scenario, profile, violations, lines },
    lines: [...lines, `Simulation: seed ${seed}, ${violations.length} violations.`],
  }
}

const runHistories = async (
  { histories, seed, scenario, coverage, times }: Options,
  isJson: boolean,
): Promise<Outcome> => {
  const hasProgress = process.stderr.isTTY && !isJson
  const result = await runAll({ scenario, first: seed, count: histories, failures: 20 }, (done) => {
    if (hasProgress) {
      process.stderr.write(`\r${english.format(done)} of ${english.format(histories)}`)
    }
  })
  if (hasProgress) process.stderr.write('\r\u001B[K')
  const isLarge = result.histories >= enoughFor(scenario)
  const expected = isLarge ? expectedCoverage(scenario) : []
  const missed = expected.filter((what) => !result.coverage.has(what))
  const rate = Math.round(result.histories / result.seconds)
  const failures = result.failures.map(({ seed, scenario, profile, violations }) => {
    const [{ check, text }] = violations as [(typeof violations)[0] & object]
    return `${check} (${profile}): ${text}\n  ${replay(scenario, seed)}`
  })
  const winners = winnerRates(result.winners)
  const broken = winners.filter(({ isKept }) => !isKept)
  const lostBursts = result.lostBursts.filter(({ weather }) => promises[weather] !== undefined)
  const bursts = [...result.winners].reduce(
    (sum, [weather, count]) => sum + (promises[weather] === undefined ? 0 : count.bursts),
    0,
  )
  return {
    isMet: failures.length === 0 && missed.length === 0 && broken.length === 0,
    json: {
      ...result,
      coverage: Object.fromEntries(result.coverage),
      samples: undefined,
      distributions: summarize(result.samples),
      winners,
      lostBursts,
      rate,
      missed,
      seed,
    },
    lines: [
      ...(coverage ? [coverageTable(result.coverage)] : []),
      ...(times ? [timesTable(result.samples)] : []),
      ...(winners.length > 0 ? [winnersTable(winners)] : []),
      ...lostBursts
        .slice(0, maxListed)
        .map(({ weather, seed, scenario }) => `no winner: ${weather}\n  ${replay(scenario, seed)}`),
      ...broken.map(
        ({ weather, lost, bursts }) =>
          `fewer winners than promised: ${weather}, ${lost} of ${bursts}`,
      ),
      ...failures,
      ...missed.map((what) => `never covered: ${what}`),
      `Simulation: ${english.format(result.histories)} histories from seed ${seed}, ${failures.length} violated, ${lostBursts.length} of ${english.format(bursts)} bursts without a winner, ${english.format(rate)} histories/s per core.`,
    ],
  }
}

await runCommand<Options>(
  {
    name: 'npm run verify -- simulate',
    description:
      'Run random histories of the real client with simulated faults of servers, clocks and networks',
    options: {
      histories: countOption('--histories <count>', 'the number of histories', 1e9, 20_000),
      seed: new Option(
        '--seed <number>',
        'the seed of the first history; the others count up from it. Or: fresh',
      )
        .argParser(parseSeed)
        .default(1),
      scenario: scenarioOption,
      trace: flagOption('--trace', 'run only the first history, and print its events'),
      coverage: flagOption(
        '--coverage',
        'print which faults and results were covered, and how often',
      ),
      times: flagOption('--times', 'print how many round trips the calls of bursts took'),
    },
  },
  (options, { isJson }) => (options.trace ? traceOne(options) : runHistories(options, isJson)),
)
