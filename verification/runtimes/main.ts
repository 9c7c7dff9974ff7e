import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { Redlock } from '../../src/index.ts'
import { freshKey, holders, overRest } from '../../test/support/nodes.ts'
import { until } from '../../tools/cli/until.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import type { Case, Tools } from './case.ts'
import { bodyCases } from './cases/body.ts'
import { coreCases } from './cases/core.ts'
import { disconnectCases } from './cases/disconnect.ts'
import { refusalCases } from './cases/refusal.ts'
import { releaseCases } from './cases/release.ts'
import { type Host, hosts, versions } from './hosts.ts'
import { type Cell, type Matrix, toMarkdown, toTable } from './matrix.ts'

const groups: Readonly<Record<string, readonly Case[]>> = {
  'inside the runtime': coreCases,
  'released after': releaseCases,
  'the body': bodyCases,
  'the client goes': disconnectCases,
  refused: refusalCases,
}

const { json, only, write } = new Command('npm run conformance --')
  .description('Run one suite on every runtime, against real Redis servers')
  .option('--json', 'print the result as JSON')
  .option('--only <text>', 'only runtimes whose name contains this')
  .option('--write', 'write docs/runtimes.md')
  .parse()
  .opts<{ json?: true; only?: string; write?: true }>()

/** What a case works with, over the servers of a cluster. */
const toolsFor = ({ env, nodes }: Cluster, app: Running): Tools => {
  const servers = overRest(nodes)
  const key = freshKey()
  const holdersNow = async (): Promise<number> =>
    (await holders(servers, `lock:l:${key}`)).filter((value) => value !== null).length
  return {
    app,
    redlock: Redlock.fromEnv(env),
    key,
    holders: holdersNow,
    noneLeft: (limit = 1500) => until(async () => !(await holdersNow()), limit, 'a key was left'),
    noted: async (name) => {
      let text: unknown
      const wanted = async (): Promise<boolean> => {
        text = await servers[0]!.command('GET', `${name}:${key}`)
        return text !== null
      }
      await until(wanted, 5000, `${name} was not noted`)
      return text as string
    },
  }
}

const runCase = async (
  { run, needs }: Case,
  host: Host,
  app: Running,
  cluster: Cluster,
): Promise<Cell> => {
  const reason = needs && host.lacks?.[needs]
  if (reason) return { outcome: 'none', why: reason }
  try {
    await run(toolsFor(cluster, app))
    return { outcome: 'ok' }
  } catch (error) {
    return { outcome: 'failed', why: `${(error as Error).message}\n${app.log()}`.trim() }
  }
}

const cases = Object.values(groups).flat()
const chosen = hosts.filter(({ name }) => !only || name.includes(only))

/** All cells, by case and runtime. Everything that was started for them is ended. */
const runAll = async (): Promise<Map<Case, Map<string, Cell>>> => {
  const cells = new Map<Case, Map<string, Cell>>(cases.map((one) => [one, new Map()]))
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count: 5 })
  started.defer(cluster.close)
  if (cluster.engine === 'ioredis-mock') throw new Error('Conformance needs redis-server on PATH')
  for (const host of chosen) {
    await using running = new AsyncDisposableStack()
    const app = await startRuntime(host, cluster.env).catch((error: Error) => error)
    if (!(app instanceof Error)) running.defer(app.stop)
    for (const one of cases) {
      const cell: Cell =
        app instanceof Error
          ? { outcome: 'failed', why: app.message }
          : await runCase(one, host, app, cluster)
      cells.get(one)!.set(host.name, cell)
    }
  }
  return cells
}

const cells = await runAll()
const matrix: Matrix = {
  runtimes: chosen.map(({ name }) => name),
  groups,
  cellOf: (one, name) => cells.get(one)!.get(name)!,
}
const all = cases.flatMap((one) =>
  matrix.runtimes.map((runtime) => {
    const { outcome, why } = matrix.cellOf(one, runtime)
    return { case: one.name, runtime, outcome, why }
  }),
)
const failed = all.filter(({ outcome }) => outcome === 'failed')
const skipped = all.filter(({ outcome }) => outcome === 'none')
if (failed.length > 0) process.exitCode = 1
if (json) console.log(JSON.stringify({ isMet: failed.length === 0, cells: all }))
else {
  console.log(toTable(matrix))
  for (const cell of failed) console.log(`${cell.runtime}, ${cell.case}: ${cell.why}`)
  const held = all.length - failed.length - skipped.length
  console.log(
    `Conformance: ${held} of ${all.length} cells hold on ${chosen.length} runtimes, ${skipped.length} cannot be shown, ${failed.length} failed.`,
  )
}
if (write) {
  if (failed.length > 0 || only) throw new Error('Only a whole matrix without failures is written')
  await writeFile(
    new URL('../../docs/runtimes.md', import.meta.url),
    toMarkdown(matrix, versions()),
  )
}
