import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { broken as variants, type BrokenName, brokenNames } from './broken/list.ts'
import { runCampaign } from './campaign/campaign.ts'
import { findCapabilities, possibleFaults } from './campaign/capabilities.ts'
import { parseHistory } from './campaign/history.ts'
import { makeProgress } from './campaign/progress.ts'
import { describe, faultTable, figure } from './campaign/report.ts'
import { nodes } from './campaign/settings.ts'
import { check } from './checker/check.ts'
import { schedule } from './nemesis/schedule.ts'

type Options = {
  minutes: number
  seed: number
  broken?: BrokenName
  proxy?: true
  clocks: boolean
  json?: true
  out?: string
  history?: string
}

const anySeed = 1 + Math.floor(Math.random() * (2 ** 31 - 1))

const { minutes, seed, broken, proxy, clocks, json, out, history } = new Command('npm run chaos --')
  .description('Run real clients against real servers, and hurt them; then check what they did')
  .option('--minutes <count>', 'how long', wholeNumber(24 * 60), 1)
  .addOption(
    new Option('--seed <number>', 'of the faults')
      .argParser(wholeNumber(2 ** 31))
      .default(anySeed, 'a new one'),
  )
  .addOption(
    new Option(
      '--broken <what>',
      'run clients that are broken on purpose; fails unless that is noticed',
    ).choices(brokenNames),
  )
  .option('--proxy', 'have links fail by a proxy, even where packets could be dropped')
  .option('--no-clocks', 'leave the clocks of servers alone')
  .option('--json', 'print the result as JSON')
  .option('--out <file>', 'write the result as JSON there')
  .option('--history <file>', 'keep what happened there, for node verification/chaos/check.ts')
  .parse()
  .opts<Options>()

const run = async (): Promise<void> => {
  const capabilities = await findCapabilities({
    isProxied: proxy === true,
    hasClocks: clocks,
    say: console.error,
  })
  const stop = stopSignal()
  const expected = broken && variants[broken].noticedBy
  const faults = possibleFaults(schedule(seed, minutes), capabilities)
  const names = nodes.map(({ name }) => name)
  const seconds = 60 * minutes
  const progress = makeProgress({ seconds, faults, nodes: names, isQuiet: json === true })
  const say = (text: string): void => {
    if (!json) console.error(text)
  }
  // Whatever becomes of it, this is needed to do it again.
  console.error(`Seed ${seed}, ${faults.length} faults in ${minutes} min`)
  const text = await runCampaign({
    seed,
    minutes,
    broken,
    faults,
    capabilities,
    stop,
    say,
    onBegin: progress.begin,
  }).finally(progress.end)
  const verdict = check(parseHistory(text))
  const found = verdict.violations.map((violation) => violation.check)
  const unnoticed = expected?.filter((check) => !found.includes(check))
  const isMet = unnoticed ? unnoticed.length === 0 : found.length === 0
  if (!isMet) process.exitCode = 1
  // The evidence of a violation is kept in any case.
  const kept = history ?? (!isMet && join(tmpdir(), `edge-redlock-chaos-${seed}.jsonl`))
  if (kept) await writeFile(kept, text)
  const result = JSON.stringify({ isMet, ...verdict })
  if (out) await writeFile(out, `${result}\n`)
  if (json) {
    console.log(result)
    return
  }
  for (const line of [faultTable(verdict), ...describe(verdict)]) console.log(line)
  if (kept) console.log(`What happened: ${kept}`)
  if (expected) {
    const which = isMet ? 'Noticed, as they had to be' : 'NOT noticed'
    console.log(`${which}: ${(isMet ? expected : unnoticed!).join(', ')}.`)
  }
  console.log(figure(verdict))
}

await run().catch(reportFailure)
