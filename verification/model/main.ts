import { availableParallelism } from 'node:os'
import { Command, Option } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { ensureTools } from '../../tools/release/ensure-tools.ts'
import { type Check, checksOf, type Size } from './checks.ts'
import { run } from './spin.ts'
import { figure, terminalTable } from './table.ts'
import { judge, type Verdict } from './verdict.ts'

// Searches the model of the fencing protocol: the protocol itself exhaustively, and variants of it
// that must be found broken.

type Options = { json?: true; size: Size; only?: string; trace?: string; jobs: number }

const advice = `The model is checked by SPIN, which needs a C compiler; one of them is not on PATH.
Install them, then run npm run model again:
  Debian, Ubuntu   sudo apt-get install spin gcc libc6-dev
  macOS            brew install spin, and xcode-select --install
  elsewhere        https://spinroot.com, and gcc or clang`

// Megabytes that one search may take. It ends, and says so, rather than have the machine swap.
const memory = { ci: 3_000, long: 14_000 }

const { json, only, trace, jobs, ...options } = new Command('npm run model --')
  .description('Search all states of a model of the fencing protocol')
  .option('--json', 'print everything as JSON')
  .addOption(
    new Option('--size <size>', 'how much to search').choices(['ci', 'long']).default('ci'),
  )
  .option('--only <check>', 'one check, by its id')
  .option('--trace <check>', 'one check, and what happens in the run that it finds')
  .option(
    '--jobs <count>',
    'searches at a time; those of --size long take up to 14 GB each',
    wholeNumber(64),
  )
  .parse()
  .opts<Options>()
const id = trace ?? only
// Whoever asks for one check may have any.
const size = id === undefined ? options.size : 'long'
const say = (line: string): void => void (json ?? console.log(line))

/** All verdicts in the order of the checks, some at a time. The first that throws ends the rest. */
const judgeAll = async (
  checks: readonly Check[],
  judgeOne: (check: Check, signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict[]> => {
  const failure = new AbortController()
  const stop = stopSignal()
  const signal = AbortSignal.any([stop, failure.signal])
  const verdicts: Verdict[] = []
  const queue = checks.entries()
  const work = async (): Promise<void> => {
    for (const [index, check] of queue) {
      signal.throwIfAborted()
      const verdict = await judgeOne(check, signal)
      verdicts[index] = verdict
      // It takes a while, and may be stopped.
      if (size === 'long') console.error(`${verdict.id}: ${verdict.result}`)
    }
  }
  const atATime = jobs ?? (size === 'ci' ? Math.min(2, availableParallelism()) : 1)
  const workers = Array.from({ length: atATime }, async () => {
    try {
      await work()
    } catch (error) {
      failure.abort(error)
      throw stop.aborted ? new Error('Stopped before the end.') : error
    }
  })
  // All have ended, and removed their files, before the first failure is told.
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return verdicts
}

try {
  const checks = checksOf(size).filter((check) => id === undefined || check.id === id)
  if (checks.length === 0) {
    const ids = checksOf(size).map((check) => check.id)
    throw new Error(`No check ${id}. There are: ${ids.join(', ')}`)
  }
  const [spin, compiler] = await ensureTools(
    [
      { names: ['spin'], packages: ['spin'] },
      { names: ['gcc', 'cc', 'clang'], packages: ['gcc', 'libc6-dev'] },
    ],
    advice,
  )
  const tools = { spin: spin!, compiler: compiler! }
  const verdicts = await judgeAll(checks, async (check, signal) =>
    judge(check, await run(check, tools, { memory: memory[size], signal })),
  )
  const isMet = verdicts.every((verdict) => verdict.isMet)
  if (!isMet) process.exitCode = 1
  if (json) {
    console.log(JSON.stringify({ isMet, figure: figure(verdicts), verdicts }, null, 2))
  } else {
    say(terminalTable(verdicts))
    // A counterexample to what should hold is what one wants to see, asked or not.
    for (const { id, expected, trace: lines } of verdicts) {
      if (trace || (expected === 'holds' && lines.length > 0)) {
        say(`${id}: ${lines.length > 0 ? 'what happens' : 'no run to show'}`)
        for (const line of lines) say(`  ${line}`)
      }
    }
    say(figure(verdicts))
  }
} catch (error) {
  reportFailure(error)
}
