import type { History, Operation } from './model.ts'

// When the clock of a server leapt ahead, so far that keys on it were over too soon. Nobody promises
// exclusion then: a lock that began before it may end early on that node, and another have it.

type Leap = { readonly from: number; readonly until: number }

// How long stepping a clock may take, in ns, from where it is written down or until that.
const margin = 500e6

/** One that is ahead leaps at the begin of the fault, one that is behind at the end. */
export const leapsOf = ({ faults }: History): Leap[] =>
  faults
    .filter(({ fault }) => fault.kind === 'clock leaps')
    .map(({ fault, from, until }) => {
      const healed = until - fault.abstains * 1e6
      return fault.amount > 0
        ? { from, until: from + margin }
        : { from: healed - margin, until: healed }
    })

/** Whether one of them fell between the first and the last moment of these operations. */
export const isShaken = (
  leaps: readonly Leap[],
  operations: readonly Operation[],
  ttl: number,
): boolean => {
  // Not from the invoke on: who has waited has asked anew. What won was asked for a ttl before its
  // end, at the earliest.
  const begin = Math.min(
    ...operations.map(({ invokedAt, grantedUntil }) =>
      Math.max(invokedAt, (grantedUntil ?? -Infinity) - ttl * 1e6),
    ),
  )
  const end = Math.max(...operations.map(({ lastAt }) => lastAt))
  return leaps.some(({ from, until }) => from <= end && until >= begin)
}
