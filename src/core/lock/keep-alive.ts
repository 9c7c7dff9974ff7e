import type { KeepAliveLimits } from '../options/call-options.ts'
import { maxExtensionPause } from '../retry/times.ts'
import { stopwatch } from '../../util/clock.ts'
import { minTtl } from '../../util/validate.ts'
import { validityOf } from '../attempt.ts'
import { expiresIn, extend, isHeld, type LockState } from './lock-state.ts'

/**
 * Extends a lock repeatedly: a third of the TTL after the last extension, or as soon as only half the validity is left.
 * Acquiring the lock may have used that much, for example if a node hung and the vote was split. It stops `maxHold` ms
 * from now, or after `maxExtensions`. It pauses while the budget does not allow more. `lock.signal` aborts when the
 * lock is lost.
 *
 * An extension that fails or takes long is tried again after an eighth of the validity, at most 500 ms. Several tries
 * may be in progress, and count as one.
 *
 * @returns a function that stops it, for when the lock is released or lost.
 */
export const keepAlive = (
  state: LockState,
  { maxHold, maxExtensions }: KeepAliveLimits,
): (() => void) => {
  const { ttl, subject } = state.lease
  const { client, budget } = subject
  const elapsed = stopwatch(client.clock)
  /** Ms for which a lock is valid from the moment it is requested. */
  const validity = validityOf(client, ttl)
  /** Ms between two tries. */
  const pause = Math.min(maxExtensionPause, validity / 8)
  /** When the lock expires on the nodes, in ms since the start. */
  let end = ttl - validity + expiresIn(state)
  let extensions = 0
  let cancelTimer: (() => void) | undefined

  /** Schedules the next try after this many ms; immediately if they are negative. */
  const schedule = (delay: number): void => {
    cancelTimer?.()
    // The last part up to `maxHold` is not worth a round.
    const isOver = extensions >= maxExtensions || maxHold - end < Math.max(minTtl, pause)
    if (!isOver && isHeld(state))
      cancelTimer = client.clock.setTimer(() => void tryExtension(), delay)
  }
  /** An extension is due after a third of the TTL, or as soon as only half of the validity is left. */
  const scheduleNext = (): void => schedule(Math.min(ttl / 3, expiresIn(state) - validity / 2))
  const tryExtension = async (): Promise<void> => {
    const number = extensions
    const begun = elapsed()
    const next = Math.min(maxHold, begun + ttl)
    const life = Math.round(next - begun)
    // The process may have been paused until after `maxHold`.
    if (life < minTtl) return
    schedule(pause)
    try {
      // A later try may be affordable.
      if (!budget.affordsExtension(client.nodes.length)) {
        client.warn?.('a lock is not extended, since its budget of requests is used up', 'budget')
        return
      }
      await extend(state, life)
    } catch {
      // This try is not awaited: the next one follows, or the lock is lost. The console may throw as well.
      return
    }
    // An earlier try may have succeeded meanwhile.
    if (extensions > number) return
    extensions++
    end = next
    scheduleNext()
  }
  scheduleNext()
  return () => cancelTimer?.()
}
