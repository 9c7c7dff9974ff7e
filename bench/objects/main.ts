import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, quantile } from 'simple-statistics'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { type Columns, figure, terminalTable } from '../shared/table.ts'
import { outcomeOf, target } from '../shared/target.ts'
import { type Kind, kinds } from './kinds.ts'

// Measures an acquire and release inside workerd, over Durable Objects and over REST nodes. All of them are on this
// machine, so the times include no network. The time of a request without a lock is subtracted. On disk, all objects
// of one workerd wait for one another's commits, unlike objects in several data centers.

const entry = fileURLToPath(new URL('worker.ts', import.meta.url))

type Result = {
  readonly kind: Kind
  /** Ms in addition to a request without a lock. */
  readonly median: number
  readonly p99: number
  /** Calls of nodes for one acquire and release. */
  readonly requests: number
}

const columns: Columns<Result> = {
  nodes: ({ kind }) => kind,
  'median ms': ({ median }) => figure(median),
  'p99 ms': ({ p99 }) => figure(p99),
  requests: ({ requests }) => figure(requests),
}

await runCommand<{ locks: number }>(
  {
    name: 'npm run bench -- objects',
    description: 'Compare a lock over Durable Objects with one over REST nodes, on workerd',
    options: {
      locks: countOption(
        '--locks <count>',
        'the number of locks on each kind of node',
        100_000,
        500,
      ),
    },
  },
  async ({ locks }) => {
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count: 3 })
    started.defer(cluster.close)
    const settings = { appendonly: 'yes', appendfsync: 'always' }
    const saving = await startCluster({ count: 3, settings })
    started.defer(saving.close)
    const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-objects-'))
    started.defer(() => rm(directory, { recursive: true, force: true }))
    const objects = { className: 'RedlockNode', directory }
    const nodes = [...cluster.nodes, ...saving.nodes].map(({ url, token }) => ({ url, token }))
    const env = { REDLOCK_NODES: JSON.stringify(nodes) }
    const worker = await startRuntime(workerd(entry, { objects }), env)
    started.defer(worker.stop)
    const get = async (path: string): Promise<{ took: number; requests: number }> => {
      const begun = performance.now()
      const { requests } = (await (await worker.call(path)).json()) as { requests: number }
      return { took: performance.now() - begun, requests }
    }
    const measured = kinds.map((kind) => ({ kind, times: [] as number[], requests: 0 }))
    const nothing: number[] = []
    // They take turns, so that other load on the machine affects all equally.
    for (let turn = -Math.ceil(locks / 5); turn < locks; turn++) {
      const alone = await get('/')
      if (turn >= 0) nothing.push(alone.took)
      for (const one of measured) {
        const { took, requests } = await get(`/${encodeURIComponent(one.kind)}`)
        if (turn < 0) continue
        one.times.push(took)
        one.requests += requests
      }
    }
    const empty = median(nothing)
    const results = measured.map(({ kind, times, requests }): Result => ({
      kind,
      median: median(times) - empty,
      p99: quantile(times, 0.99) - empty,
      requests: requests / locks,
    }))
    const targets = results.map(({ kind, requests }) =>
      target(`${kind}, requests of a lock`, requests, kind === 'one object' ? 2.1 : 6.1),
    )
    return outcomeOf('Durable Objects', targets, { locks, results }, [
      `${describeEngine(cluster)}; a request that locks nothing takes ${figure(empty)} ms`,
      terminalTable(results, columns),
    ])
  },
)
