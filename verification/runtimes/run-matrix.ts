import { fromEnv } from '../../src/index.ts'
import { freshKey, holders, overRest } from '../../tools/servers/node-commands.ts'
import { until } from '../../tools/cli/until.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import type { Running } from '../../tools/servers/serving-process.ts'
import type { Case, CaseContext, Host } from './case.ts'
import type { Cell } from './matrix.ts'

/** The context of one case: a new key, and clients of a cluster. */
const contextFor = ({ env, nodes }: Cluster, app: Running): CaseContext => {
  const servers = overRest(nodes)
  const key = freshKey()
  const countHolders = async (): Promise<number> =>
    (await holders(servers, `lock:l:${key}`)).filter((value) => value !== null).length
  return {
    app,
    redlock: fromEnv(env),
    key,
    holders: countHolders,
    noneLeft: (limit = 1500) => until(async () => !(await countHolders()), limit, 'a key was left'),
    noted: async (name) => {
      let text: unknown
      const isThere = async (): Promise<boolean> => {
        text = await servers[0]!.command('GET', `${name}:${key}`)
        return text !== null
      }
      await until(isThere, 5000, `${name} was not noted`)
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
  const reason = [needs ?? []]
    .flat()
    .map((trait) => host.lacks?.[trait])
    .find(Boolean)
  if (reason) return { outcome: 'none', why: reason }
  try {
    await run(contextFor(cluster, app))
    return { outcome: 'ok' }
  } catch (error) {
    return { outcome: 'failed', why: `${(error as Error).message}\n${app.log()}`.trim() }
  }
}

/** The cells by case and name of the runtime. */
export type Cells = ReadonlyMap<Case, ReadonlyMap<string, Cell>>

/**
 * Runs all cases on all hosts, over `count` real servers.
 *
 * @param lanes - How many hosts run at a time. Their cases mostly wait, and use different keys.
 */
export const runMatrix = async (
  cases: readonly Case[],
  hosts: readonly Host[],
  count: number,
  lanes: number = 1,
): Promise<Cells> => {
  const cells = new Map<Case, Map<string, Cell>>(cases.map((one) => [one, new Map()]))
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count })
  started.defer(cluster.close)
  if (cluster.engine === 'ioredis-mock') throw new Error('No redis-server or valkey-server on PATH')
  const runHost = async (host: Host): Promise<void> => {
    await using running = new AsyncDisposableStack()
    const app = await host.start(cluster.env).catch((error: Error) => error)
    if (!(app instanceof Error)) running.defer(app.stop)
    const fill = async (one: Case): Promise<void> => {
      const cell: Cell =
        app instanceof Error
          ? { outcome: 'failed', why: app.message }
          : await runCase(one, host, app, cluster)
      cells.get(one)!.set(host.name, cell)
    }
    const beside = cases.filter(({ isIdle }) => isIdle).map(fill)
    for (const one of cases) if (!one.isIdle) await fill(one)
    await Promise.all(beside)
  }
  // Each lane takes the next host when it has finished one.
  const remaining = hosts.values()
  const runRemaining = async (): Promise<void> => {
    for (const host of remaining) await runHost(host)
  }
  await Promise.all(Array.from({ length: lanes }, runRemaining))
  return cells
}
