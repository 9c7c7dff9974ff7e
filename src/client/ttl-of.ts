import { runRound } from '../core/drive.ts'
import { inspecting } from '../core/operations.ts'
import { confirmRule } from '../core/rules/held.ts'
import type { Lock } from '../core/lock/lock.ts'
import { quorumErrorOf } from '../core/lock/lock-state.ts'
import { stateOf } from '../core/lock/state-of.ts'

/**
 * Asks the nodes for the remaining TTL of your lock on a quorum, in ms; 0 if you no longer hold the lock.
 *
 * @throws `QuorumError` when too few nodes answered.
 * @example
 * ```ts
 * const left = await ttlOf(lock)
 * ```
 */
export const ttlOf = async (lock: Lock): Promise<number> => {
  const { lease } = stateOf(lock)
  if (!lock.held) return 0
  const round = await runRound(lease, { operation: inspecting, rule: confirmRule })
  const { answers, elapsed, outcome } = round
  if (outcome === 'unavailable') throw quorumErrorOf({ lease, answers })
  const held = answers.filter((answer) => answer?.status === 'held')
  const left = Math.min(...held.map((answer) => answer!.ttl ?? 0)) - elapsed()
  return outcome === 'confirmed' ? Math.max(0, left) : 0
}
