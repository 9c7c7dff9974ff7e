import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { InvalidArgumentError, Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { flagOption } from '../../tools/cli/options.ts'
import { measure } from './measure.ts'
import { pageOf } from './page.ts'
import { type Name, names, readAll } from './results.ts'

// Writes verification/reports/benchmarks.md from the results that are saved in verification/reports/benchmarks. With
// --run, it measures them again first.

type Options = { run: Name[]; quick?: true }

const parseNames = (text: string): Name[] => {
  if (text === 'all') return [...names]
  const list = text.split(',')
  const isName = (one: string): one is Name => (names as readonly string[]).includes(one)
  if (!list.every(isName))
    throw new InvalidArgumentError(`It is one of ${names.join(', ')}, or all.`)
  return list
}

await runCommand<Options>(
  {
    name: 'npm run bench -- report',
    description: 'Write verification/reports/benchmarks.md',
    options: {
      run: new Option('--run <list>', `measure again: ${names.join(', ')}, or all`)
        .argParser(parseNames)
        .default([]),
      quick: flagOption('--quick', 'measure just enough to check that it works'),
    },
  },
  async ({ run, quick = false }, { print }) => {
    for (const name of run) {
      print(`measuring ${name}`)
      await measure(name, quick)
    }
    const page = fileURLToPath(new URL('../../verification/reports/benchmarks.md', import.meta.url))
    await writeFile(page, pageOf(await readAll()))
    return {
      isMet: true,
      json: { isMet: true, measured: run },
      lines: [`Report: ${names.length} results shown, ${run.length} of them measured anew.`],
    }
  },
)
