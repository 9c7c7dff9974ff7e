import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Bursts } from '../contention/burst.ts'
import type { Target } from '../contention/targets.ts'
import type { Waiters } from '../contention/waiters.ts'
import type { Measured } from '../cpu/measure.ts'
import type { Costs } from '../requests/costs.ts'

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
    readonly bars: readonly Target[]
  }
  readonly cpu: {
    readonly locks: number
    readonly results: readonly Measured[]
  }
  readonly requests: { readonly cycles: number; readonly results: readonly Costs[] }
}

export type Name = keyof Results
export const names: readonly Name[] = ['latency', 'contention', 'cpu', 'requests']

/** A result, with the machine and the command that it was measured with. */
export type Saved<name extends Name> = {
  readonly machine: string
  readonly command: string
  readonly result: Results[name]
}

export const pathOf = (name: Name): string => `${directory}${name}.json`

export const read = async <name extends Name>(name: name): Promise<Saved<name>> =>
  JSON.parse(await readFile(pathOf(name), 'utf8')) as Saved<name>
