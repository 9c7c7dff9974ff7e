import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'

// When the clock of a server jumps ahead, its keys expire too early. Exclusion is then not guaranteed: an earlier
// lock may lose that node to another client.

type ClockJump = { readonly from: number; readonly until: number }

// How long a clock step may take, in ms, after its announcement or before its report.
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
  // An operation may have waited for a long time before its successful attempt, which began at most one TTL before
  // the end of the validity.
  const begin = Math.min(
    ...operations.map(({ calledAt, grantedUntil = -Infinity }) =>
      Math.max(calledAt, grantedUntil - ttl),
    ),
  )
  const end = Math.max(...operations.map(({ lastAt }) => lastAt))
  return jumps.some(({ from, until }) => from <= end && until >= begin)
}
