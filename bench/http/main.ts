import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import Table from 'cli-table3'
import { Redlock } from '../../src/index.ts'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { commandCounter } from './command-count.ts'

// Measures what the middleware costs: a trivial Hono handler on workerd, alone and behind lock() and
// throttle() over three real servers on this machine; and the commands that each request is billed.

/** A request to one of the routes, and the maximum of the commands that it may cost. */
type Request = {
  readonly name: string
  readonly path: string
  readonly status: number
  readonly maxCommands: number
}

const count = 3
// A node that answers after the decision gets another command, which releases what it granted.
const rejected = count + 1
const firstRejection = 'throttle: rejected, first'
const requests: readonly Request[] = [
  { name: 'no middleware', path: '/', status: 200, maxCommands: 0 },
  { name: 'lock: free', path: '/lock', status: 200, maxCommands: 2 * count },
  { name: 'lock: held by another', path: '/lock/held', status: 409, maxCommands: rejected },
  { name: 'throttle: passes', path: '/throttle', status: 200, maxCommands: count },
  { name: firstRejection, path: '/throttle/closed', status: 429, maxCommands: rejected },
  { name: 'throttle: rejected again', path: '/throttle/closed', status: 429, maxCommands: 0 },
]

await runCommand<{ seconds: number; connections: number }>(
  {
    name: 'npm run bench:http --',
    description: 'Measure what the middleware costs a trivial handler on workerd',
    options: {
      seconds: countOption('--seconds <count>', 'of load on each way', 600, 5),
      connections: countOption('--connections <count>', 'at the same time', 1000, 10),
    },
  },
  async ({ seconds, connections }) => {
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count })
    started.defer(cluster.close)
    const entry = fileURLToPath(new URL('worker.ts', import.meta.url))
    const worker = await startRuntime(workerd(entry), cluster.env)
    started.defer(worker.stop)
    const settledCommands = commandCounter(cluster)

    const redlock = Redlock.fromEnv(cluster.env)
    await redlock.acquire('held', { ttl: 600_000 })
    // Loads the script into the servers, and warms workerd up.
    for (const { path } of requests.slice(0, 4)) await (await fetch(worker.url + path)).text()
    await redlock.throttle('closed', { window: 600_000 })

    /** The number of commands that one request costs, those after the response included. */
    const costOf = async ({ path, status }: Request): Promise<number> => {
      const before = await settledCommands()
      const response = await fetch(worker.url + path)
      await response.text()
      if (response.status !== status) throw new Error(`${path} answered ${response.status}`)
      return (await settledCommands()) - before
    }
    const costs: number[] = []
    for (const request of requests) costs.push(await costOf(request))
    const results = []
    for (const [index, { name, path, maxCommands }] of requests.entries()) {
      const commands = costs[index]!
      // Only one request is the first that is rejected.
      const load =
        name === firstRejection
          ? undefined
          : await autocannon({ url: worker.url + path, connections, duration: seconds, workers: 1 })
      results.push({
        name,
        commands,
        isMet: commands <= maxCommands && !load?.errors,
        perSecond: load?.requests.average,
        p50: load?.latency.p50,
        p99: load?.latency.p99,
      })
    }
    const isMet = results.every(({ isMet }) => isMet)
    const table = new Table({ head: ['', 'requests/s', 'p50 ms', 'p99 ms', 'commands'] })
    for (const { name, perSecond, p50, p99, commands } of results) {
      table.push([name, perSecond?.toFixed(0) ?? '', p50 ?? '', p99 ?? '', commands])
    }
    const listed = results.map(({ name, commands }) => `${name} ${commands}`).slice(1)
    return {
      isMet,
      json: { isMet, results },
      lines: [
        `${describeEngine(cluster)}; ${connections} connections`,
        table.toString(),
        `Commands per request over ${count} nodes: ${listed.join(', ')}.`,
      ],
    }
  },
)
