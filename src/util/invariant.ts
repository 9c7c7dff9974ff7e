import { RedlockError } from './redlock-error.ts'

/** Stops where the library itself is wrong, before a lock is. */
export const invariant = (holds: boolean, what: string): void => {
  if (!holds) throw new RedlockError(`${what}: a defect of edge-redlock, please report it`)
}
