import { wasBusy, wasHit, type Window } from './disturbances.ts'
import { groupBy } from '../../history/group-by.ts'
import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'

// A burst: several clients that make one call each for the same key at the same moment.

export type Burst = {
  readonly key: string
  readonly contenders: readonly Operation[]
  /** The time of the first lock. */
  readonly wonAt: number | undefined
  /** From the first call to the last result. */
  readonly window: Window
}

const burstOf = (key: string, contenders: readonly Operation[]): Burst => {
  const wins = contenders.flatMap(({ acquiredAt }) => acquiredAt ?? [])
  return {
    key,
    contenders,
    wonAt: wins.length > 0 ? Math.min(...wins) : undefined,
    window: {
      from: Math.min(...contenders.map(({ calledAt }) => calledAt)),
      // A client that was killed during its call has no result.
      until: Math.max(...contenders.map(({ answeredAt = Infinity }) => answeredAt)),
      processes: [...new Set(contenders.map(({ process }) => process))],
    },
  }
}

/** The bursts of two or more clients during the fault period in which every call has a result. */
export const burstsOf = ({ operations, begin, end }: History): Burst[] => {
  const contenders = operations.filter(({ kind }) => kind === 'burst')
  return [...groupBy(contenders, ({ keys }) => keys[0]!)]
    .filter(([, { length }]) => length > 1)
    .map(([key, group]) => burstOf(key, group))
    .filter(({ window }) => window.from >= begin && window.until <= end)
}

/** Whether a process was killed: its requests may be missing from the history. */
const wasAnybodyKilled = ({ processes }: History, { from, until }: Window): boolean =>
  [...processes.values()].some(({ killedAt = NaN }) => killedAt >= from && killedAt <= until)

/** Whether no fault affected the clients of a burst, and the machine was not busy. */
export const areContendersWell = (history: History, { window, contenders }: Burst): boolean => {
  const lates = contenders.map(({ late }) => late)
  return (
    !wasHit(history, window) &&
    !wasAnybodyKilled(history, window) &&
    !wasBusy(history, window, lates)
  )
}
