import { isLockedError, isLockLostError, isQuorumError } from '../../../src/index.ts'
import { checkSecrets } from '../checks/secret-check.ts'
import type { Scenario } from './scenario.ts'

/** Records an error with which a call is allowed to reject. Any other error is a violation. */
export const recordError = (
  scenario: Scenario,
  where: string,
  error: unknown,
  signal?: AbortSignal,
): void => {
  const { recorder } = scenario
  checkSecrets(scenario, `error of ${where}`, error)
  if (signal?.aborted && error === signal.reason) return recorder.covered('aborted call')
  if (isLockedError(error)) return recorder.covered('locked')
  if (isQuorumError(error)) return recorder.covered('unavailable')
  if (isLockLostError(error)) return recorder.covered('operation on a lost lock')
  recorder.violated('errors', `${where}: ${String(error)}`)
}
