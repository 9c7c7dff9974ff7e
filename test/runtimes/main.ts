import { randomUUID } from 'node:crypto'
import Table from 'cli-table3'
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
import { type Host, hosts } from './hosts.ts'

const groups: Readonly<Record<string, readonly Case[]>> = {
  'inside the runtime': coreCases,
  'released after': releaseCases,
  'the body': bodyCases,
  'the client goes': disconnectCases,
  refused: refusalCases,
}

const { json, only } = new Command('npm run conformance --')
  .description('Run one suite on every runtime, against real Redis servers')
  .option('--json', 'print the result as JSON')
  .option('--only <text>', 'only runtimes whose name contains this')
  .parse()
  .opts<{ json?: true; only?: string }>()

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

type Cell = { readonly outcome: 'ok' | 'failed' | 'none'; readonly why?: string }

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

const cells = new Map<Case, Map<Host, Cell>>()
const cases = Object.values(groups).flat()
for (const one of cases) cells.set(one, new Map())
const chosen = hosts.filter(({ name }) => !only || name.includes(only))
for (const host of chosen) {
  const app = await startRuntime(host, cluster.env).catch((error: Error) => error)
  for (const one of cases) {
    const cell: Cell =
      app instanceof Error ? { outcome: 'failed', why: app.message } : await runCase(one, host, app)
    cells.get(one)!.set(host, cell)
  }
  if (!(app instanceof Error)) await app.stop()
}
await cluster.close()

const all = [...cells].flatMap(([one, row]) =>
  [...row].map(([host, { outcome, why }]) => ({
    case: one.name,
    runtime: host.name,
    outcome,
    why,
  })),
)
const failed = all.filter(({ outcome }) => outcome === 'failed')
const skipped = all.filter(({ outcome }) => outcome === 'none')
if (failed.length > 0) process.exitCode = 1
if (json) {
  console.log(JSON.stringify({ isMet: failed.length === 0, cells: all }))
} else {
  const table = new Table({ head: ['', ...chosen.map(({ name }) => name.replace(' ', '\n'))] })
  const reasons = [...new Set(skipped.map(({ why }) => why!))]
  for (const [group, listed] of Object.entries(groups)) {
    table.push([{ content: group, colSpan: chosen.length + 1, hAlign: 'center' }])
    for (const one of listed) {
      const row = chosen.map((host) => {
        const { outcome, why } = cells.get(one)!.get(host)!
        return { ok: 'ok', failed: 'FAILED', none: `[${reasons.indexOf(why!) + 1}]` }[outcome]
      })
      table.push([one.name, ...row])
    }
  }
  console.log(table.toString())
  for (const [index, reason] of reasons.entries()) console.log(`[${index + 1}] ${reason}`)
  for (const cell of failed) console.log(`${cell.runtime}, ${cell.case}: ${cell.why}`)
  console.log(
    `Conformance: ${all.length - failed.length - skipped.length} of ${all.length} cells hold on ${chosen.length} runtimes, ${skipped.length} cannot be shown, ${failed.length} failed.`,
  )
}
