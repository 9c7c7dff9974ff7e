import { setTimeout as pause } from 'node:timers/promises'
import { median, sum } from 'simple-statistics'
import { Tinypool } from 'tinypool'
import type { Running } from '../../../tools/servers/runtime.ts'
import { statisticOf } from '../../shared/statistic.ts'
import type { LoadOptions, Target } from '../load.ts'
import { processorTime } from '../processor-time.ts'
import type { Turn, TurnResult } from './client.ts'
import { names, type OfWorkers, ofWorkers, startAll } from './workers.ts'

/** The middleware against Workers that send the same requests to the nodes by hand. */
export type AgainstByHand = {
  readonly name: string
  readonly figures: OfWorkers<Figures>
  /** Requests per second relative to the Worker by hand: the median of each round, and of all turns. */
  readonly ratios: readonly number[]
  readonly ratio: number
  /** The same relative to the bare Worker, over all turns. */
  readonly bareRatio: number
  /** The requests with a wrong response or none. */
  readonly failed: number
}

/** A route that all Workers have. */
type Route = { readonly name: string; readonly path: string; readonly status: number }

/** The median of all turns of one Worker, and the medians of its rounds. */
type Figures = {
  readonly perSecond: number
  /** CPU time of the Worker per request in ms, if the system reports it. */
  readonly processor: number | undefined
}

/** The load that one Worker served in a round. */
type Served = {
  /** By turn. */
  readonly perSecond: readonly number[]
  readonly processor: number | undefined
  readonly failed: number
}

// Requests until the code of a Worker is compiled: V8 keeps optimizing it for about 20,000 requests.
const warmUps = 20_000

// The requests of a turn, about a tenth of a second. The speed of a machine changes within seconds. So even for two
// equal Workers, longer turns give ratios that vary more in the same total time.
const perTurn = 50

// Ms between turns, in which a Worker releases the last locks of its turn at its own expense.
const drain = 20

/** Loads the Workers in turns, for `seconds` each on average. */
const measureRound = async (
  pool: Tinypool,
  workers: OfWorkers<Target>,
  { path, status }: Route,
  { seconds, connections, round }: LoadOptions & { readonly round: number },
): Promise<OfWorkers<Served>> => {
  const turnOf = async (name: keyof typeof workers, requests: number): Promise<TurnResult> => {
    const turn: Turn = { url: workers[name].url + path, status, connections, requests }
    return pool.run(turn) as Promise<TurnResult>
  }
  for (const name of names) await turnOf(name, warmUps)
  const turns = ofWorkers((): TurnResult[] => [])
  const processorTimes = (): Promise<(number | undefined)[]> =>
    Promise.all(names.map((name) => processorTime(workers[name].pid)))
  const before = await processorTimes()
  let worked = 0
  for (let turn = 0; worked < 1000 * seconds * names.length; turn++) {
    const order = names.map((_, index) => names[(index + turn + round) % names.length]!)
    for (const name of order) {
      const result = await turnOf(name, perTurn)
      await pause(drain)
      turns[name].push(result)
      worked += result.duration
    }
  }
  const after = await processorTimes()
  return ofWorkers((name): Served => {
    const index = names.indexOf(name)
    const [from, to] = [before[index], after[index]]
    return {
      perSecond: turns[name].map(({ duration }) => (1000 * perTurn) / duration),
      processor:
        from === undefined || to === undefined
          ? undefined
          : (1000 * (to - from)) / (turns[name].length * perTurn),
      failed: sum(turns[name].map(({ failed }) => failed)),
    }
  })
}

/** Requests per second of the middleware relative to another Worker, turn by turn. */
const ratiosOf = (served: OfWorkers<Served>, other: keyof typeof served): number[] =>
  served.middleware.perSecond.map((rate, turn) => rate / served[other].perSecond[turn]!)

/**
 * Loads the Workers in turns of 0.1 s, and compares them within each turn, because the speed of a machine changes
 * over time. Each of several rounds restarts them, because two processes with the same code can differ by 10 %.
 *
 * @param options - `seconds` is the time that each Worker is loaded in a round.
 */
export const measureAgainstByHand = async (
  route: Route,
  start: OfWorkers<() => Promise<Running>>,
  { rounds, ...options }: LoadOptions & { readonly rounds: number },
): Promise<AgainstByHand> => {
  const filename = new URL('client.ts', import.meta.url).href
  const pool = new Tinypool({ filename, minThreads: 1, maxThreads: 1, isolateWorkers: false })
  await using ended = new AsyncDisposableStack()
  ended.defer(() => pool.destroy())
  const served: OfWorkers<Served>[] = []
  for (let round = 0; round < rounds; round++) {
    await using started = new AsyncDisposableStack()
    const workers = await startAll(start, started)
    served.push(await measureRound(pool, workers, route, { ...options, round }))
  }
  const figures = ofWorkers((name): Figures => ({
    perSecond: median(served.flatMap((round) => round[name].perSecond)),
    processor: statisticOf(
      served.flatMap((round) => round[name].processor ?? []),
      median,
    ),
  }))
  return {
    name: route.name,
    figures,
    ratios: served.map((round) => median(ratiosOf(round, 'byHand'))),
    ratio: median(served.flatMap((round) => ratiosOf(round, 'byHand'))),
    bareRatio: median(served.flatMap((round) => ratiosOf(round, 'bare'))),
    failed: sum(served.flatMap((round) => names.map((name) => round[name].failed))),
  }
}
