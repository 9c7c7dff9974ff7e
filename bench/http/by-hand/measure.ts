import { deepStrictEqual } from 'node:assert'
import type { Cluster } from '../../../tools/servers/cluster.ts'
import type { Running } from '../../../tools/servers/runtime.ts'
import { median } from '../../shared/quantile.ts'
import { type Load, load, type LoadOptions, type Target } from '../load.ts'
import { scriptsDuring } from './monitor.ts'

/**
 * The Workers that are compared: with the middleware; with handlers in the same app that send the same
 * requests by hand; and with neither middleware nor app nor timeouts.
 */
const names = ['middleware', 'byHand', 'bare'] as const

/** One value of each Worker. */
export type OfWorkers<T> = { readonly [name in (typeof names)[number]]: T }

/** The middleware against Workers that send the same requests to the nodes by hand. */
export type AgainstByHand = {
  readonly name: string
  readonly figures: OfWorkers<Figures>
  /** Requests per second against the Worker by hand: the median of the turns of each round, and of all turns. */
  readonly ratios: readonly number[]
  readonly ratio: number
  /** The same of all turns, against the bare Worker. */
  readonly bareRatio: number
  /** The minimum of `ratio`. */
  readonly minRatio: number
  readonly isMet: boolean
}

/** A route that all Workers have. */
type Route = { readonly name: string; readonly path: string; readonly status: number }

/** Medians of the rounds of one Worker. */
type Figures = {
  readonly perSecond: number
  /** Processor ms of the Worker per request, where the system tells. */
  readonly processor: number | undefined
}

type Measured = Figures & Pick<Load, 'failed'>

// The share of the requests per second by hand that the middleware must serve.
const minRatio = 0.95

/** Starts the Workers at the same time. If one of them fails to start, the others are stopped. */
export const startAll = async (
  start: OfWorkers<() => Promise<Running>>,
): Promise<OfWorkers<Running>> => {
  const results = await Promise.allSettled(names.map((name) => start[name]()))
  const started = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = results.find((one) => one.status === 'rejected')
  if (failed) {
    await Promise.all(started.map((worker) => worker.stop()))
    throw failed.reason
  }
  const [middleware, byHand, bare] = started
  return { middleware: middleware!, byHand: byHand!, bare: bare! }
}

/** Stops the Workers. */
export const stopAll = async (workers: OfWorkers<Running>): Promise<void> => {
  await Promise.all(names.map((name) => workers[name].stop()))
}

/** Everything in a response that a client sees, but for its date. */
const responseOf = async (url: string): Promise<unknown> => {
  const response = await fetch(url)
  const headers = [...response.headers].filter(([name]) => name !== 'date')
  return { status: response.status, headers, body: await response.text() }
}

/** @throws when two of the Workers send different scripts to the nodes for one request, or answer it differently. */
export const assertSameWork = async (
  cluster: Cluster,
  workers: OfWorkers<Target>,
  path: string,
  settled: () => Promise<unknown>,
): Promise<void> => {
  const workOf = async (name: keyof OfWorkers<Target>): Promise<unknown> => {
    let response: unknown
    const act = async (): Promise<void> => {
      response = await responseOf(workers[name].url + path)
    }
    const scripts = await scriptsDuring(cluster, act, settled)
    return { scripts, response }
  }
  const expected = await workOf('middleware')
  for (const name of ['byHand', 'bare'] as const) {
    const message = `The Worker \`${name}\` sends other requests or another response than the middleware: ${path}`
    deepStrictEqual(await workOf(name), expected, message)
  }
}

// Requests until the code of a Worker is compiled: V8 goes on to optimize it for about 10,000 requests.
const warmUps = 10_000

/** The medians of several measurements of one Worker, and the sum of their failures. */
const summary = (loads: readonly Load[]): Measured => ({
  perSecond: median(loads.map(({ perSecond }) => perSecond))!,
  processor: median(loads.flatMap(({ processor }) => processor ?? [])),
  failed: loads.reduce((sum, { failed }) => sum + failed, 0),
})

/** Requests per second of the middleware, turn by turn, against those of another Worker in the same turn. */
const ratiosOf = (turns: OfWorkers<readonly Load[]>, other: keyof typeof turns): number[] =>
  turns.middleware.map(({ perSecond }, turn) => perSecond / turns[other][turn]!.perSecond)

/**
 * Loads the Workers in turns of a second, since the speed of a machine changes with time, and compares them
 * within each turn. Each of several rounds starts them again, since two processes with the same code may
 * differ by a tenth.
 *
 * @param options - `seconds` is the number of turns of each Worker in a round.
 */
export const measureAgainstByHand = async (
  route: Route,
  start: OfWorkers<() => Promise<Running>>,
  { rounds, seconds, connections }: LoadOptions & { readonly rounds: number },
): Promise<AgainstByHand> => {
  const turnsOfRounds: OfWorkers<Load[]>[] = []
  for (let round = 0; round < rounds; round++) {
    const workers = await startAll(start)
    try {
      const turnOf = (name: keyof typeof workers, amount?: number): Promise<Load> =>
        load(workers[name], route, { connections, seconds: 1, ...(amount && { amount }) })
      for (const name of names) await turnOf(name, warmUps)
      const turns: OfWorkers<Load[]> = { middleware: [], byHand: [], bare: [] }
      for (let turn = 0; turn < seconds; turn++) {
        const order = names.map((_, index) => names[(index + turn + round) % names.length]!)
        for (const name of order) turns[name].push(await turnOf(name))
      }
      turnsOfRounds.push(turns)
    } finally {
      await stopAll(workers)
    }
  }
  const ratio = median(turnsOfRounds.flatMap((turns) => ratiosOf(turns, 'byHand')))!
  const summaryOf = (name: keyof OfWorkers<unknown>): Measured =>
    summary(turnsOfRounds.flatMap((turns) => turns[name]))
  const [middleware, byHand, bare] = names.map(summaryOf)
  const failed = middleware!.failed + byHand!.failed + bare!.failed
  return {
    name: route.name,
    figures: { middleware: middleware!, byHand: byHand!, bare: bare! },
    ratios: turnsOfRounds.map((turns) => median(ratiosOf(turns, 'byHand'))!),
    ratio,
    bareRatio: median(turnsOfRounds.flatMap((turns) => ratiosOf(turns, 'bare')))!,
    minRatio,
    isMet: ratio >= minRatio && failed === 0,
  }
}
