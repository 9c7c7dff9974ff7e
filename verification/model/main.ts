import { availableParallelism } from 'node:os'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { ensureTools } from '../../tools/release/ensure-tools.ts'
import type { Check, Size } from './check.ts'
import { checksOf } from './checks.ts'
import { keepFigure, knownFigure } from './searched.ts'
import { run } from './spin.ts'
import { figure, terminalTable } from './table.ts'
import { judge, type Verdict } from './verdict.ts'

// Searches the model of the fencing protocol. The search of the protocol itself is exhaustive. In each broken
// variant, it must find a violation.

type Options = {
  size: Size
  only?: string
  trace?: string
  jobs?: number
  ifChanged?: boolean
}
type JudgeOne = (check: Check, signal: AbortSignal) => Promise<Verdict>

const advice = `The model is checked by SPIN, which needs a C compiler; one of them is not on PATH.
Install them, then run npm run verify -- model again:
  Debian, Ubuntu   sudo apt-get install spin gcc libc6-dev
  macOS            brew install spin, and xcode-select --install
  elsewhere        https://spinroot.com, and gcc or clang`

// The memory limit of one search, in MB. A search that reaches it fails before the machine swaps.
const memory = { ci: 3_000, long: 14_000 }

/** All verdicts in the order of the checks, `jobs` at a time. The first failure ends the rest. */
const judgeAll = async (
  checks: readonly Check[],
  { jobs, hasProgress }: { readonly jobs: number; readonly hasProgress: boolean },
  judgeOne: JudgeOne,
): Promise<Verdict[]> => {
  const failure = new AbortController()
  const stop = stopSignal()
  const signal = AbortSignal.any([stop, failure.signal])
  const verdicts: Verdict[] = []
  const queue = checks.entries()
  const judgeNext = async (): Promise<void> => {
    for (const [index, check] of queue) {
      signal.throwIfAborted()
      const verdict = await judgeOne(check, signal)
      verdicts[index] = verdict
      if (hasProgress) console.error(`${verdict.id}: ${verdict.result}`)
    }
  }
  const workers = Array.from({ length: jobs }, async () => {
    try {
      await judgeNext()
    } catch (error) {
      failure.abort(error)
      throw stop.aborted ? new Error('Stopped before the end.') : error
    }
  })
  // Every search has ended and removed its files before the first failure is reported.
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return verdicts
}

/** The traces to print: for each check that should hold but does not, or for all. */
const traceLines = (verdicts: readonly Verdict[], isAsked: boolean): string[] =>
  verdicts
    .filter(({ expected, trace }) => isAsked || (expected === 'holds' && trace.length > 0))
    .flatMap(({ id, trace }) => {
      const title = `${id}: ${trace.length > 0 ? 'what happens' : 'no run to show'}`
      return [title].concat(trace.map((line) => `  ${line}`))
    })

await runCommand<Options>(
  {
    name: 'npm run verify -- model',
    description: 'Search all states of a model of the fencing protocol',
    options: {
      size: new Option('--size <size>', 'how much to search').choices(['ci', 'long']).default('ci'),
      only: new Option('--only <check>', 'one check, by its ID'),
      trace: new Option('--trace <check>', 'one check, and what happens in the run that it finds'),
      jobs: countOption(
        '--jobs <count>',
        'searches at a time; those of --size long take up to 14 GB each',
        64,
      ),
      ifChanged: new Option(
        '--if-changed',
        'search only if the sources have changed since a search',
      ),
    },
    jsonIndent: 2,
  },
  async ({ size: askedSize, only, trace, jobs, ifChanged }) => {
    const known = ifChanged ? knownFigure() : undefined
    if (known) {
      const lines = ['The sources are those of the last search, which found:', known]
      return { isMet: true, json: { isMet: true, figure: known }, lines }
    }
    const id = trace ?? only
    // A single check may be any of them, including those that only `--size long` runs.
    const size = id === undefined ? askedSize : 'long'
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
    const defaultJobs = size === 'ci' ? Math.min(2, availableParallelism()) : 1
    const verdicts = await judgeAll(
      checks,
      { jobs: jobs ?? defaultJobs, hasProgress: size === 'long' },
      async (check, signal) =>
        judge(check, await run(check, tools, { memory: memory[size], signal })),
    )
    const isMet = verdicts.every((verdict) => verdict.isMet)
    if (isMet && id === undefined && size === 'ci') keepFigure(figure(verdicts))
    return {
      isMet,
      json: { isMet, figure: figure(verdicts), verdicts },
      lines: [
        terminalTable(verdicts),
        ...traceLines(verdicts, trace !== undefined),
        figure(verdicts),
      ],
    }
  },
)
