import { isLockedError, isQuorumError } from '../../src/index.ts'
import type { Refusal } from './records.ts'

/** The reason why a call was rejected; undefined for any other error. */
export const refusalOf = (error: unknown, signal?: AbortSignal): Refusal | undefined => {
  if (isLockedError(error)) return 'locked'
  if (isQuorumError(error)) return 'unavailable'
  return signal?.aborted && error === signal.reason ? 'aborted' : undefined
}
