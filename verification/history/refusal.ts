import { isLockedError, isQuorumError } from '../../src/index.ts'
import type { Refusal } from './records.ts'

/** Why a call has rejected; undefined if that is no refusal. */
export const refusalOf = (error: unknown, signal?: AbortSignal): Refusal | undefined => {
  if (isLockedError(error)) return 'locked'
  if (isQuorumError(error)) return 'unavailable'
  return signal?.aborted && error === signal.reason ? 'aborted' : undefined
}
