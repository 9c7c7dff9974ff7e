import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption, freshSeed, maxSeed } from '../../tools/cli/options.ts'
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
  out?: string
  history?: string
}

await runCommand<Options>(
  {
    name: 'npm run verify -- chaos',
    description:
      'Run real clients against real servers with injected faults, and check their history',
    options: {
      minutes: countOption('--minutes <count>', 'how long', 24 * 60, 1),
      seed: new Option('--seed <number>', 'the seed of the faults')
        .argParser(wholeNumber(maxSeed))
        .default(freshSeed(), 'a new one'),
      broken: new Option(
        '--broken <what>',
        'run clients that are broken on purpose; fails unless the checker notices',
      ).choices(brokenNames),
      proxy: flagOption('--proxy', 'break links with a proxy, even if packets could be dropped'),
      clocks: flagOption('--no-clocks', 'leave the clocks of servers alone'),
      out: new Option('--out <file>', 'write the result as JSON there'),
      history: new Option(
        '--history <file>',
        'keep the history there, for node verification/chaos/check.ts',
      ),
    },
  },
  async ({ minutes, seed, broken, proxy, clocks, out, history }, { isJson }) => {
    const capabilities = await findCapabilities({
      isProxied: proxy === true,
      hasClocks: clocks,
      say: console.error,
    })
    const stop = stopSignal()
    const faults = possibleFaults(schedule(seed, minutes), capabilities)
    const names = nodes.map(({ name }) => name)
    const progress = makeProgress({ seconds: 60 * minutes, faults, nodes: names, isQuiet: isJson })
    const say = (text: string): void => {
      if (!isJson) console.error(text)
    }
    // Print the seed first, so that a failed campaign can be repeated.
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
    const expected = broken && variants[broken].noticedBy
    const unnoticed = expected?.filter((one) => !found.includes(one))
    const isMet = (unnoticed ?? found).length === 0
    // If there is a violation, always keep the history.
    const kept = history ?? (!isMet && join(tmpdir(), `edge-redlock-chaos-${seed}.jsonl`))
    if (kept) await writeFile(kept, text)
    const json = { isMet, ...verdict }
    if (out) await writeFile(out, `${JSON.stringify(json)}\n`)
    const noticed = isMet ? 'Noticed, as they had to be' : 'NOT noticed'
    return {
      isMet,
      json,
      lines: [
        faultTable(verdict),
        ...describe(verdict),
        ...(kept ? [`What happened: ${kept}`] : []),
        ...(expected ? [`${noticed}: ${(isMet ? expected : unnoticed!).join(', ')}.`] : []),
        figure(verdict),
      ],
    }
  },
)
