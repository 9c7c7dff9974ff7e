import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import { median } from '../shared/quantile.ts'
import type { Bursts } from './burst.ts'
import type { Waiters } from './waiters.ts'
import type { HandingOn } from './wake-up.ts'

/** A measured value and the maximum that it must not exceed. */
export type Target = {
  readonly about: string
  readonly contestant: string
  readonly size: number
  readonly value: number
  readonly most: number
  readonly isMet: boolean
}

const isOwn = ({ contestant }: { contestant: string }): boolean =>
  [edgeRedlock, edgeRedlockFrugal].some(({ name }) => name === contestant)

// The maximum requests of a burst over those of the best rival, by the size of the burst. The rivals let some
// bursts end without a winner, and second looks are the price of having one each time.
const ratios: readonly [name: string, size: number, max: number][] = [
  [edgeRedlock.name, 5, 1.3],
  [edgeRedlock.name, 50, 1.3],
  [edgeRedlockFrugal.name, 5, 0.5],
  [edgeRedlockFrugal.name, 50, 0.25],
]

const target = (
  about: string,
  contestant: string,
  size: number,
  value: number,
  max: number,
): Target => ({ about, contestant, size, value, most: max, isMet: value <= max })

/** The targets of the bursts that were measured. */
export const targetsOfBursts = (results: readonly Bursts[]): Target[] => [
  ...results
    .filter(isOwn)
    .map(({ contestant, size, bursts, one }) =>
      target('bursts without exactly one winner', contestant, size, bursts - one, 0),
    ),
  ...ratios.flatMap(([name, size, max]) => {
    const sameSize = results.filter((one) => one.size === size)
    const own = sameSize.find(({ contestant }) => contestant === name)
    const rivals = sameSize.filter((one) => !isOwn(one)).map(({ requests }) => requests)
    if (!own || rivals.length === 0) return []
    const ratio = own.requests / Math.min(...rivals)
    return target('requests of a burst, against the best rival', name, size, ratio, max)
  }),
]

/** The targets of the waiters that were measured, over medians. `bounds`: ms by number of waiters. */
export const targetsOfWaiters = (
  results: readonly Waiters[],
  bounds: ReadonlyMap<number, number>,
): Target[] => {
  const medianOf = (waiters: number, read: (one: Waiters) => number): number[] => {
    const values = results
      .filter((one) => one.contestant === edgeRedlock.name && one.waiters === waiters)
      .map(read)
    const value = median(values)
    return value === undefined ? [] : [value]
  }
  const { name } = edgeRedlock
  return [
    ...medianOf(20, ({ time }) => time / bounds.get(20)!).map((value) =>
      target('time of those who wait, against one alone', name, 20, value, 1.6),
    ),
    ...medianOf(20, ({ requestsPerGrant }) => requestsPerGrant).map((value) =>
      target('requests per grant', name, 20, value, 30),
    ),
    ...medianOf(100, ({ longestWait, medianWait }) => longestWait / medianWait).map((value) =>
      target('longest wait, against the median', name, 100, value, 4),
    ),
  ]
}

const overAlone = 'time of those who wait, against one alone'
const handingOnTargets: readonly [
  clients: number,
  about: string,
  read: (one: HandingOn) => number,
  max: number,
][] = [
  [2, overAlone, ({ ratio }) => ratio, 1.3],
  [20, overAlone, ({ ratio }) => ratio, 1.2],
  [20, 'requests per grant', ({ requestsPerGrant }) => requestsPerGrant, 12],
  [
    100,
    'longest wait, against the median',
    ({ longestWait, medianWait }) => longestWait / medianWait,
    2,
  ],
]

/** The targets of a lock that is handed on by messages. */
export const targetsOfHandingOn = (results: readonly HandingOn[]): Target[] =>
  results
    .filter(({ isWoken }) => isWoken)
    .flatMap((one) =>
      handingOnTargets
        .filter(([clients]) => clients === one.clients)
        .map(([clients, about, read, max]) =>
          target(about, 'with wake-up', clients, read(one), max),
        ),
    )
