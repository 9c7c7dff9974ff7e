import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Bursts } from '../contention/burst.ts'
import type { Target as ContentionTarget } from '../contention/targets.ts'
import type { Waiters } from '../contention/waiters.ts'
import type { HandingOn } from '../contention/wake-up.ts'
import type { Measured as MeasuredLibrary } from '../cpu/measure.ts'
import type { Footprint } from '../footprint/measure.ts'
import type { AgainstByHand } from '../http/by-hand/measure.ts'
import type { Load } from '../http/load.ts'
import type { Measured } from '../regions/measure.ts'
import type { Order } from '../regions/orders.ts'
import type { Costs } from '../requests/costs.ts'
import type { Target } from '../shared/target.ts'
import type { SickBursts } from '../sick/bursts.ts'
import type { SickTarget } from '../sick/targets.ts'
import type { Trials } from '../sick/trials.ts'

/** The directory of the results, the charts and the page. */
export const directory = fileURLToPath(new URL('../../docs/benchmarks/', import.meta.url))

/** The output of each bench with --json, as far as it is shown. */
export type Results = {
  readonly latency: {
    readonly acquires: number
    readonly results: readonly {
      readonly weather: string
      readonly contestant: string
      readonly p50?: number
      readonly p99?: number
      readonly minimum?: number
      readonly ratio?: number
      readonly unanswered: number
      readonly most?: number
      readonly isMet: boolean
    }[]
  }
  readonly contention: {
    readonly bursts: readonly Bursts[]
    readonly waiters: readonly Waiters[]
    readonly bounds: readonly (readonly [waiters: number, ms: number])[]
    readonly handedOn: readonly HandingOn[]
    readonly bars: readonly ContentionTarget[]
  }
  readonly sick: {
    readonly bursts: readonly SickBursts[]
    /** Double clicks, each by two clients that have asked no node before. */
    readonly fresh: readonly SickBursts[]
    readonly trials: readonly Trials[]
    readonly bars: readonly SickTarget[]
  }
  readonly regions: {
    readonly bursts: number
    readonly orders: readonly Order[]
    readonly results: readonly Measured[]
    readonly bars: readonly Target[]
  }
  readonly http: {
    readonly connections: number
    readonly results: readonly (Partial<Load> & {
      readonly name: string
      readonly commands: number
    })[]
    readonly byHand: readonly AgainstByHand[]
  }
  readonly cpu: {
    readonly locks: number
    readonly results: readonly MeasuredLibrary[]
  }
  readonly requests: { readonly cycles: number; readonly results: readonly Costs[] }
  readonly footprint: {
    readonly isMet: boolean
    /** In bytes: the maximum in the steady state, and what was measured. */
    readonly maxSteady: number
    readonly steady: number
    readonly results: readonly Footprint[]
  }
}

export type Name = keyof Results
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

/** A result, with the machine and the command that it was measured with. */
export type Saved<name extends Name> = {
  readonly machine: string
  readonly command: string
  readonly result: Results[name]
}

export const pathOf = (name: Name): string => `${directory}${name}.json`

const read = async <name extends Name>(name: name): Promise<Saved<name>> =>
  JSON.parse(await readFile(pathOf(name), 'utf8')) as Saved<name>

/** All results. */
export type All = { readonly [name in Name]: Saved<name> }

/** Reads all results. @throws when one of them was never measured. */
export const readAll = async (): Promise<All> => ({
  latency: await read('latency'),
  contention: await read('contention'),
  sick: await read('sick'),
  regions: await read('regions'),
  http: await read('http'),
  cpu: await read('cpu'),
  requests: await read('requests'),
  footprint: await read('footprint'),
})
