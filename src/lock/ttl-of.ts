import { runRound } from '../core/drive.ts'
import { inspecting, confirmRule } from '../core/operations.ts'
import type { Lock } from './lock.ts'
import { quorumErrorOf } from './lock-state.ts'
import { stateOf } from './state-of.ts'

/**
 * Asks the nodes for how many ms a lock of yours still lives on a quorum of them; 0 if it is no longer yours.
 *
 * @throws `QuorumError` when too few nodes answered to know.
 * @example
 * ```ts
 * const left = await ttlOf(lock)
 * ```
 */
export const ttlOf = async (lock: Lock): Promise<number> => {
  const { lease } = stateOf(lock)
  if (!lock.held) return 0
  const ballot = await runRound(lease, { operation: inspecting, next: confirmRule })
  const { answers, elapsed, result } = ballot
  if (result === 'unavailable') throw quorumErrorOf(ballot)
  const held = answers.filter((answer) => answer?.status === 'held')
  const left = Math.min(...held.map((answer) => answer!.ttl ?? 0)) - elapsed()
  return result === 'confirmed' ? Math.max(0, left) : 0
}
