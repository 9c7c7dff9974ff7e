import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Measured } from '../bursts/measured.ts'
import type { Waiters } from '../bursts/waiters.ts'
import type { Measured as MeasuredLibrary } from '../cpu/measure.ts'
import type { Footprint } from '../footprint/measure.ts'
import type { AgainstByHand } from '../http/by-hand/measure.ts'
import type { MeasuredRoute } from '../http/measure-routes.ts'
import type { Latency } from '../latency/results.ts'
import type { MeasuredRegions } from '../regions/measure.ts'
import type { Order } from '../regions/orders.ts'
import type { Costs } from '../requests/costs.ts'
import type { Target } from '../shared/target.ts'

/** The directory of the results, the charts and the page. */
export const directory = fileURLToPath(
  new URL('../../verification/reports/benchmarks/', import.meta.url),
)

/** The parts of each bench's --json output that the page shows. All of them also have targets. */
type Figures = {
  readonly latency: { readonly results: readonly Latency[] }
  readonly contention: {
    readonly bursts: readonly Measured[]
    readonly waiters: readonly Waiters[]
    readonly handedOn: readonly Waiters[]
  }
  readonly sick: {
    readonly bursts: readonly Measured[]
    readonly fresh: readonly Measured[]
  }
  readonly regions: {
    readonly bursts: number
    readonly orders: readonly Order[]
    readonly results: readonly MeasuredRegions[]
  }
  readonly http: {
    readonly connections: number
    readonly results: readonly MeasuredRoute[]
    readonly byHand: readonly AgainstByHand[]
  }
  readonly cpu: { readonly results: readonly MeasuredLibrary[] }
  readonly requests: { readonly results: readonly Costs[] }
  readonly footprint: { readonly results: readonly Footprint[] }
}

export type Name = keyof Figures

/** In the order of the page. */
export const names: readonly Name[] = [
  'latency',
  'contention',
  'sick',
  'regions',
  'http',
  'cpu',
  'requests',
  'footprint',
]

/** The results, each with its machine and command. */
export type All = {
  readonly [name in Name]: {
    readonly machine: string
    readonly command: string
    readonly result: Figures[name] & { readonly bars: readonly Target[] }
  }
}

export const pathOf = (name: Name): string => `${directory}${name}.json`

/** Reads all results. @throws if one of them was never measured. */
export const readAll = async (): Promise<All> =>
  Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, JSON.parse(await readFile(pathOf(name), 'utf8'))]),
    ),
  ) as All
