import type { Refusal } from './attempt.ts'
import type { AcquireResult, ThrottleOptions, ThrottleResult } from './calls.ts'
import { stopwatch } from './clock.ts'
import { contend } from './contend.ts'
import { takenBy } from './contention.ts'
import { checkTtl } from './expect.ts'
import { noteClosed } from './isolate.ts'
import { checkKeys, throttles } from './keys.ts'
import type { Settings } from './settings.ts'

/** One pass, as a lock on the window: to be given back where it is not to count. */
export const pass = async (
  settings: Settings,
  key: string | readonly string[],
  { window, ...rest }: ThrottleOptions,
): Promise<AcquireResult> => {
  checkTtl('window', window, settings)
  return contend(settings, throttles, key, { ...rest, ttl: window, wait: 0 })
}

/**
 * One pass per window, which nobody gives back. So a window that was seen to be closed stays
 * closed: until then the answer comes from memory, without a request.
 */
export const throttle = async (
  settings: Settings,
  key: string | readonly string[],
  options: ThrottleOptions,
): Promise<ThrottleResult> => {
  const { memory, clock, driftFactor, quorum, emit } = settings
  const { window, signal } = options
  const keys = checkKeys(key)
  const id = JSON.stringify(keys)
  const left = memory.closed?.get(id)?.() ?? 0
  if (left > 0) {
    signal?.throwIfAborted()
    const known: Refusal = { ok: false, reason: 'locked', retryAfter: left, nodes: [] }
    emit({ type: 'rejected', keys, elapsed: 0, attempts: 0, ...known })
    return known
  }
  const elapsed = stopwatch(clock)
  const result = await pass(settings, key, options)
  // Who was refused by a split vote knows of nobody who has the window.
  if (result.ok || (result.reason === 'locked' && takenBy(result.nodes, quorum))) {
    const most = (result.ok ? window : result.retryAfter) * (1 - driftFactor) - 2
    noteClosed(memory, id, () => most - elapsed())
  }
  return result.ok ? { ok: true, resetAfter: window } : result
}
