import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import type { Measured } from '../bursts/measured.ts'
import { oneWinnerTargets } from '../bursts/targets.ts'
import { type WaiterLimits, type Waiters, waiterTargets } from '../bursts/waiters.ts'
import { isOwn } from '../shared/own.ts'
import { type Target, target } from '../shared/target.ts'
import { woken } from './wake-up.ts'

// The maximum requests of a burst relative to the best other library, by the size of the burst. With the other
// libraries, some bursts end without a winner. Second looks are the price of a winner in every burst.
const ratios: readonly [name: string, size: number, most: number][] = [
  [edgeRedlock.name, 5, 1.3],
  [edgeRedlock.name, 50, 1.3],
  [edgeRedlockFrugal.name, 5, 0.5],
  [edgeRedlockFrugal.name, 50, 0.25],
]

const waiterLimits: WaiterLimits = {
  20: { ratio: 1.6, requests: 30 },
  100: { unluckiest: 4 },
}

// The targets for a lock that is handed on by messages, by the number of waiting clients.
const wokenLimits: WaiterLimits = {
  2: { ratio: 1.3 },
  20: { ratio: 1.2, requests: 12 },
  100: { unluckiest: 2 },
}

const requestTargets = (bursts: readonly Measured[]): Target[] =>
  ratios.flatMap(([name, size, most]) => {
    const sameSize = bursts.filter((one) => one.size === size)
    const own = sameSize.find(({ contestant }) => contestant === name)
    const rivals = sameSize.filter((one) => !isOwn(one)).map(({ requests }) => requests)
    if (!own || rivals.length === 0) return []
    const about = `requests of a burst of ${size}, against the best rival (${name})`
    return target(about, own.requests / Math.min(...rivals), most)
  })

export const targetsOf = (
  bursts: readonly Measured[],
  waiters: readonly Waiters[],
  handedOn: readonly Waiters[],
): Target[] => [
  ...oneWinnerTargets(bursts.filter(isOwn)),
  ...requestTargets(bursts),
  ...waiterTargets(waiters, edgeRedlock.name, waiterLimits),
  ...waiterTargets(handedOn, woken, wokenLimits),
]
