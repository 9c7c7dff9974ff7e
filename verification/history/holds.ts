import type { Operation } from './operation.ts'

/** The period for which a client certainly held a lock, by its own account. */
export type Hold = {
  readonly operation: Operation
  readonly keys: readonly string[]
  /** The secret of the lock, or another name that it alone has. */
  readonly value: string
  readonly from: number
  readonly until: number
}

/** How exact the records of a process are. */
export type Precision = {
  /** By how much its times may be off, in ms. */
  readonly resolution: number
  /** Whether each step is written down before it is taken, so that a kill loses none. */
  readonly isComplete: boolean
}

const exact: Precision = { resolution: 0, isComplete: true }

/** The end of the time for which the client believes that it holds the lock, as far as that is known yet. */
export const heldUntil = ({
  validUntil = -Infinity,
  releasingAt = Infinity,
  lostAt = Infinity,
}: Operation): number => Math.min(validUntil, releasingAt, lostAt)

/** The secret of the lock, or the operation where no other has the same lock. */
export const lockOf = ({ lock, op }: Operation): string => lock ?? op

/** The releases by force that are about this lock. */
export const forcesOn = (operations: Iterable<Operation>, one: Operation): Operation[] =>
  [...operations].filter(
    ({ kind, keys, holder = '' }) =>
      kind === 'force' &&
      keys.some((key) => one.held!.includes(key)) &&
      lockOf(one).startsWith(holder),
  )

/**
 * The locks that clients held: from the return of the acquire until the end of the validity or the beginning of the
 * release, their own or one by force, less what the times may be off.
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
    // A process whose records may be missing after a kill held the lock until its last one at least.
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
