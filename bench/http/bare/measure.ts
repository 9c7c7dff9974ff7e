import { deepStrictEqual } from 'node:assert'
import type { Cluster } from '../../../tools/servers/cluster.ts'
import { median } from '../../shared/quantile.ts'
import { type Load, load, type LoadOptions, type Target } from '../load.ts'
import { scriptsDuring } from './monitor.ts'

/** The middleware against a bare Worker that sends the same requests to the nodes by hand. */
export type AgainstBare = {
  readonly name: string
  readonly middleware: Rounds
  readonly bare: Rounds
  /** The median over the rounds of the ratio of requests per second. */
  readonly ratio: number
  readonly ratios: readonly number[]
  readonly least: number
  readonly isMet: boolean
}

/** A route that both Workers have. */
type Route = { readonly name: string; readonly path: string; readonly status: number }

const names = ['middleware', 'bare'] as const

/** The two Workers. */
type Workers = { readonly [name in (typeof names)[number]]: Target }

/** Medians of the rounds of one Worker. */
type Rounds = {
  readonly perSecond: number
  /** Processor ms of the Worker per request, where the system tells. */
  readonly processor: number | undefined
}

// The share of the bare Worker's requests per second that the middleware must serve.
const minRatio = 0.95

const get = async (url: string): Promise<unknown> => (await fetch(url)).text()

/** @throws when the two Workers send different scripts to the nodes for one request. */
export const assertSameScripts = async (
  cluster: Cluster,
  { middleware, bare }: Workers,
  path: string,
  settled: () => Promise<unknown>,
): Promise<void> => {
  const expected = await scriptsDuring(cluster, () => get(middleware.url + path), settled)
  const sent = await scriptsDuring(cluster, () => get(bare.url + path), settled)
  deepStrictEqual(
    sent,
    expected,
    `The bare Worker sends other requests than the middleware: ${path}`,
  )
}

/** Loads both Workers in turn, several rounds, since the speed of a machine changes with time. */
export const measureAgainstBare = async (
  route: Route,
  workers: Workers,
  { rounds, ...options }: LoadOptions & { readonly rounds: number },
): Promise<AgainstBare> => {
  const loads: { readonly [name in keyof Workers]: Load[] } = { middleware: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      loads[name].push(await load(workers[name], route, options))
    }
  }
  const roundsOf = (name: keyof Workers): Rounds => ({
    perSecond: median(loads[name].map(({ perSecond }) => perSecond))!,
    processor: median(loads[name].flatMap(({ processor }) => processor ?? [])),
  })
  const ratios = loads.middleware.map(
    ({ perSecond }, round) => perSecond / loads.bare[round]!.perSecond,
  )
  const ratio = median(ratios)!
  const failed = names.flatMap((name) => loads[name]).reduce((sum, one) => sum + one.failed, 0)
  return {
    name: route.name,
    middleware: roundsOf('middleware'),
    bare: roundsOf('bare'),
    ratio,
    ratios,
    least: minRatio,
    isMet: ratio >= minRatio && failed === 0,
  }
}
