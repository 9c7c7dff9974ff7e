import type { KeepAliveLimits } from '../options/call-options.ts'
import { maxExtensionPause } from '../retry/times.ts'
import { stopwatch } from '../../util/clock.ts'
import { minTtl } from '../../util/validate.ts'
import { validityOf } from '../attempt.ts'
import { expiresIn, extend, isHeld, type LockState } from './lock-state.ts'

/**
 * Extends a lock repeatedly. Each extension starts a third of the TTL after the previous one, or as soon as only half
 * the validity is left. Acquiring the lock may already have used up half, for example if a node hung and the vote was
 * split. Extensions stop `maxHold` ms from now, or after `maxExtensions` of them. They pause while the budget is too
 * low. `lock.signal` aborts when the lock is lost.
 *
 * If an extension fails or is slow, it is tried again after an eighth of the validity, or after 500 ms if that is
 * sooner. Several tries can be in progress simultaneously; together they count as one extension.
 *
 * @returns a function that stops the extensions, to call when the lock is released or lost.
 */
export const keepAlive = (
  state: LockState,
  { maxHold, maxExtensions }: KeepAliveLimits,
): (() => void) => {
  const { ttl, subject } = state.lease
  const { client, budget } = subject
  const elapsed = stopwatch(client.clock)
  /** How long a lock is valid from the moment it is requested, in ms. */
  const validity = validityOf(client, ttl)
  /** The pause between two tries, in ms. */
  const pause = Math.min(maxExtensionPause, validity / 8)
  /** When the lock expires on the nodes, in ms since the start. */
  let end = ttl - validity + expiresIn(state)
  let extensions = 0
  let cancelTimer: (() => void) | undefined

  /** Schedules the next try in `delay` ms; immediately if `delay` is negative. */
  const schedule = (delay: number): void => {
    cancelTimer?.()
    // A short remainder before `maxHold` is not worth a round.
    const isOver = extensions >= maxExtensions || maxHold - end < Math.max(minTtl, pause)
    if (!isOver && isHeld(state))
      cancelTimer = client.clock.setTimer(() => void tryExtension(), delay)
  }
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
        const text = 'a lock is not extended, because its request budget is used up'
        client.warn?.('ERL22', text, 'budget')
        return
      }
      await extend(state, life)
    } catch {
      // No caller awaits this try. Either the next try follows, or the lock is lost. A warning on the console can also
      // throw.
      return
    }
    // Another try for the same extension may have succeeded in the meantime.
    if (extensions > number) return
    extensions++
    end = next
    scheduleNext()
  }
  scheduleNext()
  return () => cancelTimer?.()
}
