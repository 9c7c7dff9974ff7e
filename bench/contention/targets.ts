import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import { median } from '../shared/quantile.ts'
import type { Bursts } from './burst.ts'
import type { Waiters } from './waiters.ts'

/** One thing that was measured, against what it is to be at most. */
export type Bar = {
  readonly about: string
  readonly contestant: string
  readonly size: number
  readonly value: number
  readonly most: number
  readonly isMet: boolean
}

const isOwn = ({ contestant }: { contestant: string }): boolean =>
  [edgeRedlock, edgeRedlockFrugal].some(({ name }) => name === contestant)

// Requests of a burst against the best rival, by how many ask.
const ratios: readonly [name: string, size: number, most: number][] = [
  [edgeRedlock.name, 5, 1.1],
  [edgeRedlock.name, 50, 1.1],
  [edgeRedlockFrugal.name, 5, 0.5],
  [edgeRedlockFrugal.name, 50, 0.25],
]

const bar = (
  about: string,
  contestant: string,
  size: number,
  value: number,
  most: number,
): Bar => ({ about, contestant, size, value, most, isMet: value <= most })

/** What bursts are to show, as far as they were played: of each size, so many had one winner. */
export const barsOfBursts = (results: readonly Bursts[]): Bar[] => [
  ...results
    .filter(isOwn)
    .map(({ contestant, size, bursts, one }) =>
      bar('bursts without exactly one winner', contestant, size, bursts - one, 0),
    ),
  ...ratios.flatMap(([name, size, most]) => {
    const played = results.filter((one) => one.size === size)
    const own = played.find(({ contestant }) => contestant === name)
    const rivals = played.filter((one) => !isOwn(one)).map(({ requests }) => requests)
    if (!own || rivals.length === 0) return []
    const ratio = own.requests / Math.min(...rivals)
    return bar('requests of a burst, against the best rival', name, size, ratio, most)
  }),
]

/** What those who wait are to show: medians of several times. `bounds` are by how many wait. */
export const barsOfWaiters = (
  results: readonly Waiters[],
  bounds: ReadonlyMap<number, number>,
): Bar[] => {
  const middle = (waiters: number, read: (one: Waiters) => number): number[] => {
    const values = results
      .filter((one) => one.contestant === edgeRedlock.name && one.waiters === waiters)
      .map(read)
    const value = median(values)
    return value === undefined ? [] : [value]
  }
  const { name } = edgeRedlock
  return [
    ...middle(20, ({ time }) => time / bounds.get(20)!).map((value) =>
      bar('time of those who wait, against one alone', name, 20, value, 1.6),
    ),
    ...middle(20, ({ requestsPerGrant }) => requestsPerGrant).map((value) =>
      bar('requests per grant', name, 20, value, 30),
    ),
    ...middle(100, ({ longestWait, medianWait }) => longestWait / medianWait).map((value) =>
      bar('longest wait, against the median', name, 100, value, 4),
    ),
  ]
}
