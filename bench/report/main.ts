import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { drawAll } from './charts.ts'
import { measure } from './measure.ts'
import { pageOf } from './page.ts'
import { type Name, names, read } from './results.ts'

// Draws the charts of docs/benchmarks and writes docs/benchmarks.md, from results that are kept
// there; and measures them anew where it is told to.

const listOf = (text: string): Name[] => {
  if (text === 'all') return [...names]
  const list = text.split(',')
  const isName = (one: string): one is Name => (names as readonly string[]).includes(one)
  if (!list.every(isName))
    throw new InvalidArgumentError(`It is one of ${names.join(', ')}, or all.`)
  return list
}

const { run, quick, json } = new Command('npm run bench:report --')
  .description('Draw the charts of the benches and write docs/benchmarks.md')
  .option('--run <list>', `measure anew: ${names.join(', ')}, or all`, listOf, [] as Name[])
  .option('--quick', 'measure just enough to see that it works')
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<{ run: Name[]; quick?: true; json?: true }>()

try {
  for (const name of run) {
    if (!json) console.log(`measuring ${name}`)
    await measure(name, quick ?? false)
  }
  const all = {
    latency: await read('latency'),
    contention: await read('contention'),
    cpu: await read('cpu'),
    requests: await read('requests'),
  }
  await drawAll({
    latency: all.latency.result,
    contention: all.contention.result,
    cpu: all.cpu.result,
    requests: all.requests.result,
  })
  const page = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))
  await writeFile(page, pageOf(all))
  if (json) console.log(JSON.stringify({ isMet: true, measured: run }))
  else console.log(`Report: ${names.length} results drawn, ${run.length} of them measured anew.`)
} catch (error) {
  reportFailure(error)
}
