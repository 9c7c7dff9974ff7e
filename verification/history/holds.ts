import type { Operation } from './operation.ts'

/** The period in which a client certainly held a lock, by its own account. */
export type Hold = {
  readonly operation: Operation
  readonly keys: readonly string[]
  /** The secret of the lock, or another unique name. */
  readonly value: string
  readonly from: number
  readonly until: number
}

/** The precision of a process's records. */
export type Precision = {
  /** The maximum error of its times, in ms. */
  readonly resolution: number
  /** Whether each step is written down before it is taken, so that a kill loses none. */
  readonly isComplete: boolean
}

const exact: Precision = { resolution: 0, isComplete: true }

/** The time until which the client believes that it holds the lock, as far as it is known so far. */
export const heldUntil = ({
  validUntil = -Infinity,
  releasingAt = Infinity,
  lostAt = Infinity,
}: Operation): number => Math.min(validUntil, releasingAt, lostAt)

/** The secret of the lock, or the operation if no other shares the lock. */
export const lockOf = ({ lock, op }: Operation): string => lock ?? op

/** The forced releases of this lock. */
export const forcesOn = (operations: Iterable<Operation>, one: Operation): Operation[] =>
  [...operations].filter(
    ({ kind, keys, holder = '' }) =>
      kind === 'force' &&
      keys.some((key) => one.held!.includes(key)) &&
      lockOf(one).startsWith(holder),
  )

/**
 * The locks that clients held. A hold lasts from the return of the acquire to the end of the validity, or to the
 * beginning of a normal or forced release. The error of the times is subtracted.
 */
export const holdsOf = (
  operations: Iterable<Operation>,
  precisionOf: (process: string) => Precision = () => exact,
): Hold[] => {
  const all = [...operations]
  const forces = all.filter(({ kind }) => kind === 'force')
  return all.flatMap((operation) => {
    const { acquiredAt, held, process, releasingAt, lastAt, askedAt, calledAt } = operation
    if (acquiredAt === undefined) return []
    const { resolution, isComplete } = precisionOf(process)
    // After a kill, records of the process may be missing. It held the lock at least until the last one.
    const known = isComplete || releasingAt !== undefined ? Infinity : lastAt
    const ends = forcesOn(forces, operation)
      .filter(({ answeredAt = Infinity }) => (askedAt ?? calledAt) <= answeredAt)
      .map((force) => force.calledAt)
    return {
      operation,
      keys: held!,
      value: lockOf(operation),
      from: acquiredAt + resolution,
      until: Math.min(heldUntil(operation), known, ...ends) - resolution,
    }
  })
}
