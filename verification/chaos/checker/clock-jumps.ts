import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'

// When the clock of a server jumps ahead, its keys expire too early. Exclusion is not guaranteed
// then: a lock that was acquired before may lose that node, and another may get it.

type ClockJump = { readonly from: number; readonly until: number }

// How long stepping a clock may take, in ms, after the event that announces it or before the one that
// reports it.
const margin = 500

/**
 * The jumps ahead. A fault with a clock that is ahead begins with one; a fault with a clock that is
 * behind ends with one, when the clock is set right again.
 */
export const clockJumpsOf = ({ faults }: History): ClockJump[] =>
  faults
    .filter(({ fault }) => fault.kind === 'clock jumps')
    .map(({ fault, from, until }) => {
      const healed = until - fault.abstains
      return fault.amount > 0
        ? { from, until: from + margin }
        : { from: healed - margin, until: healed }
    })

/** Whether a clock jumped between the first and the last moment of these operations. */
export const overlapsJump = (
  jumps: readonly ClockJump[],
  operations: readonly Operation[],
  ttl: number,
): boolean => {
  // An operation may have waited long before the attempt that succeeded. That attempt began at most
  // one ttl before the end of the validity.
  const begin = Math.min(
    ...operations.map(({ calledAt, grantedUntil = -Infinity }) =>
      Math.max(calledAt, grantedUntil - ttl),
    ),
  )
  const end = Math.max(...operations.map(({ lastAt }) => lastAt))
  return jumps.some(({ from, until }) => from <= end && until >= begin)
}
