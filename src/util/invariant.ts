import { RedlockError } from './redlock-error.ts'

/** Stops where the library itself is wrong, before a lock is. `of`: what the invariant is about. */
export const invariant = (holds: boolean, of: string): void => {
  if (!holds) throw new RedlockError(`a defect of edge-redlock: ${of}`)
}
