import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import Table from 'cli-table3'
import { Command } from 'commander'
import { Redlock } from '../../src/index.ts'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { until } from '../../tools/cli/until.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { commandsOf } from './commands.ts'

// What the middleware costs: a trivial Hono handler on workerd, by itself and behind lock() and
// throttle() over three real servers on this machine; and how many commands each request is billed.

/** One way through the middleware; `most` is how many commands it may cost. */
type Way = {
  readonly name: string
  readonly path: string
  readonly status: number
  readonly most: number
}

const count = 3
// One that does not answer soon after it was decided is told to forget it.
const rejected = count + 1
const ways: readonly Way[] = [
  { name: 'no middleware', path: '/', status: 200, most: 0 },
  { name: 'lock: free', path: '/lock', status: 200, most: 2 * count },
  { name: 'lock: held by another', path: '/lock/held', status: 409, most: rejected },
  { name: 'throttle: passes', path: '/throttle', status: 200, most: count },
  { name: 'throttle: rejected, first', path: '/throttle/closed', status: 429, most: rejected },
  { name: 'throttle: rejected again', path: '/throttle/closed', status: 429, most: 0 },
]

const { json, seconds, connections } = new Command('npm run bench:http --')
  .description('Measure what the middleware costs a trivial handler on workerd')
  .option('--json', 'print the result as JSON')
  .option('--seconds <count>', 'of load on each way', wholeNumber(600), 5)
  .option('--connections <count>', 'at the same time', wholeNumber(1000), 10)
  .parse()
  .opts<{ json?: true; seconds: number; connections: number }>()

const cluster = await startCluster({ count })
let running: Running | undefined
try {
  const entry = fileURLToPath(new URL('worker.ts', import.meta.url))
  const worker = (running = await startRuntime(workerd(entry), cluster.env))
  const commands = commandsOf(cluster)
  /** How many commands one request costs, those after the response included. */
  const costOf = async ({ path, status }: Way): Promise<number> => {
    const before = await settled()
    const response = await fetch(worker.url + path)
    await response.text()
    if (response.status !== status) throw new Error(`${path} answered ${response.status}`)
    return (await settled()) - before
  }
  /** The commands so far, once no more of them come. */
  const settled = async (): Promise<number> => {
    let [last, seen] = [-1, await commands()]
    const isOver = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      ;[last, seen] = [seen, await commands()]
      return last === seen
    }
    await until(isOver, 5000)
    return seen
  }
  const loadOf = async ({ path }: Way): Promise<autocannon.Result> =>
    autocannon({ url: worker.url + path, connections, duration: seconds, workers: 1 })

  const redlock = Redlock.fromEnv(cluster.env)
  await redlock.acquire('held', { ttl: 600_000 })
  // Makes the script known to the servers, and workerd warm.
  for (const { path } of ways.slice(0, 4)) await (await fetch(worker.url + path)).text()
  await redlock.throttle('closed', { window: 600_000 })

  const costs = []
  for (const way of ways) costs.push(await costOf(way))
  const results = []
  for (const [index, way] of ways.entries()) {
    const cost = costs[index]!
    // For the first time one is rejected once only.
    const load = way.name.endsWith('first') ? undefined : await loadOf(way)
    results.push({
      name: way.name,
      commands: cost,
      isMet: cost <= way.most && !load?.errors,
      perSecond: load?.requests.average,
      p50: load?.latency.p50,
      p99: load?.latency.p99,
    })
  }
  const isMet = results.every(({ isMet }) => isMet)
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, results }))
  else {
    const table = new Table({ head: ['', 'requests/s', 'p50 ms', 'p99 ms', 'commands'] })
    for (const { name, perSecond, p50, p99, commands } of results) {
      table.push([name, perSecond?.toFixed(0) ?? '', p50 ?? '', p99 ?? '', commands])
    }
    console.log(`${describeEngine(cluster)}; ${connections} connections`)
    console.log(table.toString())
    const listed = results.map(({ name, commands }) => `${name} ${commands}`).slice(1)
    console.log(`Commands per request over ${count} nodes: ${listed.join(', ')}.`)
  }
} catch (error) {
  reportFailure(error)
} finally {
  await running?.stop()
  await cluster.close()
}
