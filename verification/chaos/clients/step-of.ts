import { isLockedError, isQuorumError } from '../../../src/index.ts'
import type { Step } from '../../history/records.ts'
import { refusalOf } from '../../history/refusal.ts'
import { describeError } from './describe-error.ts'
import type { Redlocks } from './redlocks.ts'

type Refused = Extract<Step, { type: 'refused' | 'failed' }>

/** Converts the error of a failed call to a step. */
export const stepOf = (error: unknown, { describe }: Redlocks): Refused => {
  const reason = refusalOf(error)
  if (!reason) return { type: 'failed', reason: describeError(error) }
  const nodes = isLockedError(error) || isQuorumError(error) ? describe(error.nodes) : ''
  return { type: 'refused', reason, text: `${reason} (${nodes})` }
}
