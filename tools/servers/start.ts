import { randomUUID } from 'node:crypto'
import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../cli/report-failure.ts'
import { stopped, stopSignal } from '../cli/stop-signal.ts'
import { wholeNumber } from '../cli/whole-number.ts'
import { burst, type Outcome, passed } from './burst.ts'
import { describeEngine, mostNodes, startCluster } from './cluster.ts'
import { startWorker } from './worker.ts'

type Options = { count: number; port?: number; bursts: number; once?: true; json?: true }

const size = 10

const table = (outcomes: readonly Outcome[]): string => {
  const rows = new Table({
    head: ['user', 'status', 'Retry-After', 'ms'],
    style: { head: [], border: [], compact: true },
  })
  for (const { user, status, retryAfter, time } of outcomes)
    rows.push([user, status, retryAfter, time])
  return rows.toString()
}

const byHand = (url: string): string => `Try it by hand:
  curl -i -X POST ${url}/assignments/7/submit -H 'x-user: ada'     # again within 5 s: 429
  curl -i -X POST ${url}/assignments/7/grade & \\
  curl -i -X POST ${url}/assignments/7/grade                       # 409 while the other runs
Ctrl-C ends everything.`

const program = new Command('npm start --')
  .description('Run the example Worker on workerd over Redis nodes of its own, and send it a burst')
  .option('--count <number>', 'Redis nodes', wholeNumber(mostNodes), 5)
  .option('--port <number>', 'of the Worker', wholeNumber(65_535))
  .option('--bursts <number>', 'how many bursts for one user', wholeNumber(10_000), 1)
  .option('--once', 'end after the bursts')
  .option('--json', 'print the result as JSON; implies --once')
  .parse()
const options = program.opts<Options>()
const { count, port, bursts, json = false, once = json } = options
const say = (text: string): void => {
  if (!json) console.log(text)
}

const burstsOfOneUser = async (url: string, stop: AbortSignal): Promise<number[]> => {
  const counts: number[] = []
  while (counts.length < bursts && !stop.aborted) {
    const user = `user-${randomUUID().slice(0, 4)}`
    const outcomes = await burst(
      url,
      Array.from({ length: size }, () => user),
    )
    if (counts.length === 0) say(`Ten simultaneous submits of one user:\n${table(outcomes)}\n`)
    counts.push(passed(outcomes))
  }
  return counts
}

/** One submit each of ten new users. */
const burstOf = (url: string): Promise<Outcome[]> => {
  const id = randomUUID().slice(0, 4)
  return burst(
    url,
    Array.from({ length: size }, (_, user) => `user-${user}-${id}`),
  )
}

const burstOfTenUsers = async (url: string): Promise<number> => {
  const outcomes = await burstOf(url)
  say(`One submit each of ten users, at the same moment:\n${table(outcomes)}\n`)
  return passed(outcomes)
}

// Bursts that a Worker may take to be warm.
const maxWarmUps = 20

/**
 * Sends bursts that nobody counts, until one is served completely: what comes first waits for modules,
 * connections and compilers, which says nothing about the lock.
 */
const warmUp = async (url: string, stop: AbortSignal): Promise<void> => {
  for (let tries = 0; tries < maxWarmUps && !stop.aborted; tries++) {
    if ((await burstOf(url)).every(({ status }) => status === 202)) return
  }
}

const run = async (): Promise<void> => {
  const stop = stopSignal()
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count })
  started.defer(cluster.close)
  say(describeEngine(cluster))
  if (stop.aborted) return
  say('Starting the Worker of examples/submit under wrangler dev ...')
  const worker = await startWorker({ variables: cluster.env, port })
  started.defer(worker.stop)
  say(`It answers on ${worker.url}\n`)
  await warmUp(worker.url, stop)

  const single = await burstsOfOneUser(worker.url, stop)
  const several = await burstOfTenUsers(worker.url)
  const exact = single.filter((count) => count === 1).length
  const isMet = exact === bursts && several === size
  if (!isMet) process.exitCode = 1
  if (!once) say(`${byHand(worker.url)}\n`)
  say(`Ten users: ${several} of ${size} passed.`)
  say(`One user: exactly one of ${size} passed in ${exact} of ${bursts} bursts.`)
  const { engine } = cluster
  if (json) console.log(JSON.stringify({ isMet, engine, bursts, exact, single, several }))
  if (!once) await stopped(stop)
}

await run().catch(reportFailure)
