import { assertOption } from '../../util/validate.ts'
import type { Lock } from './lock.ts'
import type { LockState } from './lock-state.ts'

/** The state that all handles on a lock share. @throws `TypeError` if the argument is not a lock. */
export const stateOf = (lock: Lock): LockState => {
  const isLock = 'reenter' in Object(lock)
  assertOption(isLock, 'lock', 'a lock that was acquired', lock)
  return lock.state()
}
