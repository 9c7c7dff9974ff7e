import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { Redlock } from '../../src/index.ts'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { type AgainstBare, assertSameScripts, measureAgainstBare } from './bare/measure.ts'
import { commandCounter } from './command-count.ts'
import { load } from './load.ts'

// Measures what the middleware costs: a trivial Hono handler on workerd, alone and behind lock() and
// throttle() over three real servers on this machine; and the commands that each request is billed.
// Two routes are compared with a bare Worker, which sends the same requests to the servers by hand: no
// middleware can do without them.

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
const free = 'lock: free'
const passes = 'throttle: passes'
const firstRejection = 'throttle: rejected, first'
const requests: readonly Request[] = [
  { name: 'no middleware', path: '/', status: 200, maxCommands: 0 },
  { name: free, path: '/lock', status: 200, maxCommands: 2 * count },
  { name: 'lock: held by another', path: '/lock/held', status: 409, maxCommands: rejected },
  { name: passes, path: '/throttle', status: 200, maxCommands: count },
  { name: firstRejection, path: '/throttle/closed', status: 429, maxCommands: rejected },
  { name: 'throttle: rejected again', path: '/throttle/closed', status: 429, maxCommands: 0 },
]

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const describe = ({ name, ratio, least: min }: AgainstBare): string =>
  `${name} ${ratio.toFixed(2)} (at least ${min})`

await runCommand<{ seconds: number; rounds: number; connections: number }>(
  {
    name: 'npm run bench:http --',
    description: 'Measure what the middleware costs a trivial handler on workerd',
    options: {
      seconds: countOption('--seconds <count>', 'of load on each way', 600, 5),
      rounds: countOption('--rounds <count>', 'of load, in turn with the bare Worker', 100, 5),
      connections: countOption('--connections <count>', 'at the same time', 1000, 10),
    },
  },
  async ({ seconds, rounds, connections }) => {
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count })
    started.defer(cluster.close)
    const start = async (file: string): Promise<Running> => {
      const worker = await startRuntime(workerd(fileOf(file)), cluster.env)
      started.defer(worker.stop)
      return worker
    }
    const workers = { middleware: await start('worker.ts'), bare: await start('bare/worker.ts') }
    const { url } = workers.middleware
    const settledCommands = commandCounter(cluster)

    const redlock = Redlock.fromEnv(cluster.env)
    await redlock.acquire('held', { ttl: 600_000 })
    // Loads the script into the servers, and warms workerd up.
    for (const { path } of requests.slice(0, 4)) await (await fetch(url + path)).text()
    await redlock.throttle('closed', { window: 600_000 })

    /** The number of commands that one request costs, those after the response included. */
    const costOf = async ({ path, status }: Request): Promise<number> => {
      const before = await settledCommands()
      const response = await fetch(url + path)
      await response.text()
      if (response.status !== status) throw new Error(`${path} answered ${response.status}`)
      return (await settledCommands()) - before
    }
    const costs: number[] = []
    for (const request of requests) costs.push(await costOf(request))
    const compared = requests.filter(({ name }) => [free, passes].includes(name))
    for (const { path } of compared) {
      await assertSameScripts(cluster, workers, path, settledCommands)
    }
    const results = []
    for (const [index, { name, path, status, maxCommands }] of requests.entries()) {
      const commands = costs[index]!
      // Only one request is the first that is rejected.
      const loaded =
        name === firstRejection
          ? undefined
          : await load(workers.middleware, { path, status }, { connections, seconds })
      const isMet = commands <= maxCommands && !loaded?.failed
      results.push({ name, commands, isMet, ...loaded })
    }
    const comparisons: AgainstBare[] = []
    for (const request of compared) {
      const options = { connections, seconds, rounds }
      comparisons.push(await measureAgainstBare(request, workers, options))
    }
    const isMet = [...results, ...comparisons].every((one) => one.isMet)
    const table = new Table({ head: ['', 'requests/s', 'p50 ms', 'p99 ms', 'commands'] })
    for (const { name, perSecond, p50, p99, commands } of results) {
      table.push([name, perSecond?.toFixed(0) ?? '', p50 ?? '', p99 ?? '', commands])
    }
    const bareTable = new Table({
      head: ['in turn', 'requests/s', 'bare', 'ratio', 'of the rounds', 'Worker ms each', 'bare'],
    })
    for (const { name, middleware, bare, ratio, ratios } of comparisons) {
      bareTable.push([
        name,
        middleware.perSecond.toFixed(0),
        bare.perSecond.toFixed(0),
        ratio.toFixed(2),
        ratios.map((one) => one.toFixed(2)).join(' '),
        ...[middleware, bare].map(({ processor }) => processor?.toFixed(2) ?? '-'),
      ])
    }
    const listed = results.map(({ name, commands }) => `${name} ${commands}`).slice(1)
    return {
      isMet,
      json: { isMet, connections, results, bare: comparisons },
      lines: [
        `${describeEngine(cluster)}; ${connections} connections`,
        table.toString(),
        bareTable.toString(),
        `Commands per request over ${count} nodes: ${listed.join(', ')}. Requests per second against a bare Worker that sends the same requests: ${comparisons.map(describe).join(', ')}.`,
      ],
    }
  },
)
