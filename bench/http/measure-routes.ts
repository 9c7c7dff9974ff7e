import { fromEnv, throttle } from '../../src/index.ts'
import type { Cluster } from '../../tools/servers/cluster.ts'
import { watchCommands } from '../../tools/servers/executed.ts'
import type { Running } from '../../tools/servers/runtime.ts'
import { addressesOf } from '../../verification/comparison/nodes.ts'
import { assertSameWork } from './by-hand/same-work.ts'
import { type OfWorkers, startAll } from './by-hand/workers.ts'
import { type Load, load, type LoadOptions } from './load.ts'
import { compared, firstRejection, type Route, routes } from './routes.ts'

/** The cost of a request to a route, and the throughput of the Worker. */
export type MeasuredRoute = Partial<Load> & {
  readonly name: string
  readonly commands: number
  readonly maxCommands: number
}

/**
 * Counts the commands of one request to each route, and loads the Worker with the middleware. It then ends the
 * Workers, so that they take no CPU time from the later comparison.
 */
export const measureRoutes = async (
  cluster: Cluster,
  start: OfWorkers<() => Promise<Running>>,
  options: LoadOptions,
): Promise<MeasuredRoute[]> => {
  await using started = new AsyncDisposableStack()
  const workers = await startAll(start, started)
  const watch = watchCommands(addressesOf(cluster).map(({ port }) => port))
  started.defer(async () => watch.close())
  const { url } = workers.middleware
  // Billing counts scripts, not the commands inside them.
  const settledCommands = async (): Promise<number> => (await watch.settled()).requests
  const redlock = fromEnv(cluster.env)
  await redlock.acquire('held', { ttl: 600_000 })
  // Loads the script into the servers, and warms workerd up.
  for (const { path } of routes.slice(0, 4)) await (await fetch(url + path)).text()
  await throttle(redlock, 'closed', { window: 600_000 })

  /** The number of commands that one request costs, including those after the response. */
  const costOf = async ({ path, status }: Route): Promise<number> => {
    const before = await settledCommands()
    const response = await fetch(url + path)
    await response.text()
    if (response.status !== status) throw new Error(`${path} answered ${response.status}`)
    return (await settledCommands()) - before
  }
  const costs: number[] = []
  for (const route of routes) costs.push(await costOf(route))
  for (const { path } of compared) {
    await assertSameWork(cluster, workers, path, settledCommands)
  }
  const results: MeasuredRoute[] = []
  for (const [index, { name, path, status, maxCommands }] of routes.entries()) {
    const commands = costs[index]!
    const loaded =
      name === firstRejection
        ? undefined
        : await load(workers.middleware, { path, status }, options)
    results.push({ name, commands, maxCommands, ...loaded })
  }
  return results
}
