import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { startCluster } from '../../dev/cluster.ts'
import { type Running, startRuntime } from '../../dev/runtime.ts'
import { until } from '../../dev/until.ts'
import { Redlock } from '../../src/index.ts'
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

const cluster = await startCluster({ count: 5 })
if (cluster.engine === 'ioredis-mock') throw new Error('Conformance needs redis-server on PATH')
const redlock = Redlock.fromEnv(cluster.env)

/** What each server has under a Redis key. */
const valuesOf = (key: string): Promise<unknown[]> =>
  Promise.all(
    cluster.nodes.map(async ({ url, token }) => {
      const response = await fetch(`${url}/get/${encodeURIComponent(key)}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return ((await response.json()) as { result: unknown }).result
    }),
  )

const toolsFor = (app: Running): Tools => {
  const key = `key-${randomUUID()}`
  const holders = async (): Promise<number> =>
    (await valuesOf(`lock:l:${key}`)).filter((value) => value !== null).length
  return {
    app,
    redlock,
    key,
    holders,
    noneLeft: (limit = 1500) => until(async () => !(await holders()), limit, 'a key was left'),
    noted: async (name) => {
      let text: unknown
      const wanted = async (): Promise<boolean> => {
        ;[text] = await valuesOf(`${name}:${key}`)
        return text !== null
      }
      await until(wanted, 5000, `${name} was not noted`)
      return text as string
    },
  }
}

const runCase = async ({ run, needs }: Case, host: Host, app: Running): Promise<Cell> => {
  const reason = needs && host.lacks?.[needs]
  if (reason) return { outcome: 'none', why: reason }
  try {
    await run(toolsFor(app))
    return { outcome: 'ok' }
  } catch (error) {
    return { outcome: 'failed', why: `${(error as Error).message}\n${app.log()}`.trim() }
  }
}

const cells = new Map<Case, Map<string, Cell>>()
const cases = Object.values(groups).flat()
for (const one of cases) cells.set(one, new Map())
const chosen = hosts.filter(({ name }) => !only || name.includes(only))
for (const host of chosen) {
  const app = await startRuntime(host, cluster.env).catch((error: Error) => error)
  for (const one of cases) {
    const cell: Cell =
      app instanceof Error ? { outcome: 'failed', why: app.message } : await runCase(one, host, app)
    cells.get(one)!.set(host.name, cell)
  }
  if (!(app instanceof Error)) await app.stop()
}
await cluster.close()

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
