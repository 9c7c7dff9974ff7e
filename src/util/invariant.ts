import { RedlockError } from './redlock-error.ts'

/**
 * Asserts what this library guarantees by itself, whatever its user and the servers do.
 *
 * @throws `RedlockError` where it does not hold.
 */
export const invariant = (holds: boolean, what: string): void => {
  if (!holds) throw new RedlockError(`A defect of edge-redlock, please report it: ${what}`)
}
