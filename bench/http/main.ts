import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { Redlock } from '../../src/index.ts'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import {
  type AgainstByHand,
  assertSameScripts,
  measureAgainstByHand,
  startAll,
  stopAll,
} from './by-hand/measure.ts'
import { commandCounter } from './command-count.ts'
import { load } from './load.ts'

// Measures what the middleware costs: a trivial Hono handler on workerd, alone and behind lock() and
// throttle() over three real servers on this machine; and the commands that each request is billed.
// Two routes are compared with handlers in the same app that send the same requests to the servers by
// hand, since no middleware can do without them; and, for information, with a bare Worker that has
// neither Hono nor timeouts.

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

const describe = ({ name, ratio, least: min }: AgainstByHand): string =>
  `${name} ${ratio.toFixed(2)} (at least ${min})`

await runCommand<{ seconds: number; rounds: number; connections: number }>(
  {
    name: 'npm run bench:http --',
    description: 'Measure what the middleware costs a trivial handler on workerd',
    options: {
      seconds: countOption('--seconds <count>', 'of load on each way', 600, 5),
      rounds: countOption('--rounds <count>', 'of load, in turn with the Workers by hand', 100, 5),
      connections: countOption('--connections <count>', 'at the same time', 1000, 10),
    },
  },
  async ({ seconds, rounds, connections }) => {
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count })
    started.defer(cluster.close)
    const starter = (file: string) => (): Promise<Running> =>
      startRuntime(workerd(fileOf(file)), cluster.env)
    const start = {
      middleware: starter('worker.ts'),
      byHand: starter('by-hand/worker.ts'),
      bare: starter('by-hand/bare/worker.ts'),
    }
    const workers = await startAll(start)
    started.defer(() => stopAll(workers))
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
    const comparisons: AgainstByHand[] = []
    for (const request of compared) {
      const options = { connections, seconds, rounds }
      comparisons.push(await measureAgainstByHand(request, start, options))
    }
    const isMet = [...results, ...comparisons].every((one) => one.isMet)
    const table = new Table({ head: ['', 'requests/s', 'p50 ms', 'p99 ms', 'commands'] })
    for (const { name, perSecond, p50, p99, commands } of results) {
      table.push([name, perSecond?.toFixed(0) ?? '', p50 ?? '', p99 ?? '', commands])
    }
    const ratioTable = new Table({
      head: ['in turn', 'Worker', 'requests/s', 'processor ms each', 'ratio', 'of the rounds'],
    })
    for (const { name, figures, ratio, ratios, bareRatio } of comparisons) {
      const list = ratios.map((one) => one.toFixed(2)).join(' ')
      for (const [worker, { perSecond, processor }, ...ratioCells] of [
        ['middleware', figures.middleware, '', ''],
        ['by hand', figures.byHand, ratio.toFixed(2), list],
        ['bare', figures.bare, bareRatio.toFixed(2), ''],
      ] as const) {
        const time = processor?.toFixed(2) ?? '-'
        ratioTable.push([name, worker, perSecond.toFixed(0), time, ...ratioCells])
      }
    }
    const listed = results.map(({ name, commands }) => `${name} ${commands}`).slice(1)
    return {
      isMet,
      json: { isMet, connections, results, byHand: comparisons },
      lines: [
        `${describeEngine(cluster)}; ${connections} connections`,
        table.toString(),
        ratioTable.toString(),
        `Commands per request over ${count} nodes: ${listed.join(', ')}. Requests per second against the same requests by hand: ${comparisons.map(describe).join(', ')}.`,
      ],
    }
  },
)
