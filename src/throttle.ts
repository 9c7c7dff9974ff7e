import { contend } from './acquire/acquire.ts'
import type { Refusal } from './acquire/attempt.ts'
import { noteClosed } from './local/isolate-cache.ts'
import type { AcquireResult, ThrottleOptions, ThrottleResult } from './options/call-options.ts'
import type { Settings } from './options/resolve-options.ts'
import { checkKeys, throttles } from './protocol/keys.ts'
import { takenBy } from './quorum/tally.ts'
import { stopwatch } from './util/clock.ts'
import { checkTtl } from './util/validate.ts'

/** One pass, as a lock on the window: to be given back where it is not to count. */
export const pass = async (
  settings: Settings,
  key: string | readonly string[],
  { window, ...rest }: ThrottleOptions,
): Promise<AcquireResult> => {
  checkTtl('window', window, settings)
  return contend(settings, throttles, key, { ...rest, ttl: window, wait: 0 })
}

// Ms in which a pass that was seen may still fail: it came too late, or somebody aborted it. For so
// long at most may the memory be wrong.
const settling = 1000

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
  const known = memory.closed?.get(id)
  const left = known?.left() ?? 0
  if (left > 0) {
    signal?.throwIfAborted()
    const refusal: Refusal = { ok: false, reason: 'locked', retryAfter: left, nodes: [] }
    emit?.({ type: 'rejected', keys, elapsed: 0, attempts: 0, ...refusal })
    return refusal
  }
  const elapsed = stopwatch(clock)
  const result = await pass(settings, key, options)
  // Who was refused by a split vote knows of nobody who has the window. One node is enough where it
  // was the only one to be asked.
  const holder = result.ok
    ? undefined
    : takenBy(result.nodes, Math.min(quorum, result.nodes.length))?.holder
  if (result.ok || holder) {
    const age = known && known.holder === holder ? known.age : elapsed
    const closed = result.ok ? window : result.retryAfter
    // What one node alone has told may yet fail to get a quorum, however long it takes.
    const isSettled = result.ok || (result.nodes.length >= quorum && age() > settling)
    const most = (isSettled ? closed : Math.min(closed, settling)) * (1 - driftFactor) - 2
    noteClosed(memory, id, { left: () => most - elapsed(), holder, age })
  }
  return result.ok ? { ok: true, resetAfter: window } : result
}
