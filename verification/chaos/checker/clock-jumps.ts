import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'

// If the clock of a server jumps ahead, its keys expire too early. Exclusion is then not guaranteed, because another
// client can acquire the lock on that node.

type ClockJump = { readonly from: number; readonly until: number }

// The maximum time between a clock step and its announcement or report, in ms.
const margin = 500

/**
 * The jumps ahead. The fault of a fast clock begins with a jump. The fault of a slow clock ends with one, when the
 * clock is corrected.
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
  // An operation can wait for a long time before its successful attempt, which began at most one TTL before the end of
  // the validity.
  const begin = Math.min(
    ...operations.map(({ calledAt, grantedUntil = -Infinity }) =>
      Math.max(calledAt, grantedUntil - ttl),
    ),
  )
  const end = Math.max(...operations.map(({ lastAt }) => lastAt))
  return jumps.some(({ from, until }) => from <= end && until >= begin)
}
