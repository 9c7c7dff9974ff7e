import { randomUUID } from 'node:crypto'
import Table from 'cli-table3'
import { runCommand } from '../cli/command.ts'
import { countOption, flagOption } from '../cli/options.ts'
import { stopped, stopSignal } from '../cli/stop-signal.ts'
import { burst, type Outcome, passed } from './burst.ts'
import { describeEngine, maxNodes, startCluster } from './cluster.ts'
import { startWorker } from './worker.ts'

type Options = { count: number; port?: number; bursts: number; once?: true }

const size = 10
// The maximum of bursts before the Worker counts as warm.
const maxWarmUps = 20

const table = (outcomes: readonly Outcome[]): string => {
  const rows = new Table({
    head: ['user', 'status', 'Retry-After', 'ms'],
    style: { head: [], border: [], compact: true },
  })
  for (const { user, status, retryAfter, time } of outcomes)
    rows.push([user, status, retryAfter, time])
  return rows.toString()
}

const instructions = (url: string): string => `Try it by hand:
  curl -i -X POST ${url}/assignments/7/submit -H 'x-user: ada'     # again within 5 s: 429
  curl -i -X POST ${url}/assignments/7/grade & \\
  curl -i -X POST ${url}/assignments/7/grade                       # 409 while the other runs
Ctrl-C ends everything.`

/** Ten simultaneous submits of one new user. */
const burstOfOneUser = (url: string): Promise<Outcome[]> => {
  const user = `user-${randomUUID().slice(0, 4)}`
  return burst(
    url,
    Array.from({ length: size }, () => user),
  )
}

/** One submit each of ten new users. */
const burstOfTenUsers = (url: string): Promise<Outcome[]> => {
  const id = randomUUID().slice(0, 4)
  return burst(
    url,
    Array.from({ length: size }, (_, user) => `user-${user}-${id}`),
  )
}

/**
 * Sends bursts that are not counted until one is served completely: the first requests wait for
 * modules, connections and compilers, which says nothing about the lock.
 */
const warmUp = async (url: string, stop: AbortSignal): Promise<void> => {
  for (let tries = 0; tries < maxWarmUps && !stop.aborted; tries++) {
    if ((await burstOfTenUsers(url)).every(({ status }) => status === 202)) return
  }
}

await runCommand<Options>(
  {
    name: 'npm start --',
    description:
      'Run the example Worker on workerd over Redis nodes of its own, and send it a burst',
    options: {
      count: countOption('--count <number>', 'Redis nodes', maxNodes, 5),
      port: countOption('--port <number>', 'of the Worker', 65_535),
      bursts: countOption('--bursts <number>', 'how many bursts for one user', 10_000, 1),
      once: flagOption('--once', 'end after the bursts; implied by --json'),
    },
  },
  async ({ count, port, bursts, once }, { isJson, print }) => {
    const stop = stopSignal()
    await using started = new AsyncDisposableStack()
    const cluster = await startCluster({ count })
    started.defer(cluster.close)
    print(describeEngine(cluster))
    if (stop.aborted) return undefined
    print('Starting the Worker of examples/submit under wrangler dev ...')
    const { url, stop: stopWorker } = await startWorker({ variables: cluster.env, port })
    started.defer(stopWorker)
    print(`It answers on ${url}\n`)
    await warmUp(url, stop)

    const single: number[] = []
    while (single.length < bursts && !stop.aborted) {
      const outcomes = await burstOfOneUser(url)
      if (single.length === 0) print(`Ten simultaneous submits of one user:\n${table(outcomes)}\n`)
      single.push(passed(outcomes))
    }
    const tenUsers = await burstOfTenUsers(url)
    print(`One submit each of ten users, at the same moment:\n${table(tenUsers)}\n`)

    const several = passed(tenUsers)
    const exact = single.filter((winners) => winners === 1).length
    const isMet = exact === bursts && several === size
    const lines = [
      `Ten users: ${several} of ${size} passed.`,
      `One user: exactly one of ${size} passed in ${exact} of ${bursts} bursts.`,
    ]
    const { engine } = cluster
    const outcome = { isMet, json: { isMet, engine, bursts, exact, single, several } }
    if (once || isJson) return { ...outcome, lines }
    for (const line of [`${instructions(url)}\n`, ...lines]) print(line)
    await stopped(stop)
    return { ...outcome, lines: [] }
  },
)
