import type { Refusal } from '../reports/results.ts'
import type { Client } from './client.ts'
import type { ClosedWindow } from './isolate-cache.ts'

/**
 * The time in ms in which a pass that this isolate saw may still fail, by coming too late or by being
 * aborted. It is also the longest time for which the cache can be wrong.
 */
export const settling = 1000

/**
 * The refusal of a call whose window is known to be closed; undefined where the nodes have to be asked.
 *
 * @throws the signal's reason.
 */
export const refusalOf = (
  { emit }: Client,
  keys: readonly string[],
  known: ClosedWindow | undefined,
  signal: AbortSignal | undefined,
): Refusal | undefined => {
  const elapsed = known?.elapsed() ?? 0
  if (!known || elapsed >= known.certain) return undefined
  signal?.throwIfAborted()
  const retryAfter = known.over - elapsed
  const refusal: Refusal = { ok: false, reason: 'locked', retryAfter, nodes: [] }
  emit?.({ type: 'rejected', keys, elapsed: 0, attempts: 0, ...refusal })
  return refusal
}
