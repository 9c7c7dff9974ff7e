import { acquire } from '../acquire/acquire.ts'
import type { ThrottleResult, WindowResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import { refusalOf, settling } from '../local/closed-window.ts'
import { findWindow, rememberWindow } from '../local/isolate-cache.ts'
import type { ThrottleOptions } from '../options/call-options.ts'
import { checkKeys, throttles } from '../protocol/keys.ts'
import { stopwatch } from '../util/clock.ts'
import { checkTtl } from '../util/validate.ts'
import { slotAttempt } from './slot-attempt.ts'

/** Passes a throttle by locking one of its slots for the window. Releasing that lock takes the pass back. */
export const acquireSlotOfWindow = async (
  client: Client,
  key: string,
  limit: number,
  { window, limit: _limit, ...rest }: ThrottleOptions,
): Promise<WindowResult> => {
  checkTtl('window', window, client)
  let remaining = 0
  const attempt = slotAttempt(limit, (free) => (remaining = free))
  const result = await acquire(client, throttles, key, { ...rest, ttl: window, wait: 0 }, attempt)
  return result.ok ? { ...result, remaining } : result
}

/**
 * Lets `limit` calls pass per window: each takes a slot for the window, so no window of that length has
 * more passes, wherever it begins. Nobody releases a slot. So a call that found all of them taken spares
 * the calls after it their requests, until the first slot comes free.
 */
export const throttleSlots = async (
  client: Client,
  key: string,
  limit: number,
  options: ThrottleOptions,
): Promise<ThrottleResult> => {
  const { cache, clock, driftFactor } = client
  const { window, signal } = options
  const keys = checkKeys(key)
  const name = JSON.stringify([cache.number, keys, limit])
  const refusal = refusalOf(client, keys, findWindow(cache, name, clock), signal)
  if (refusal) return refusal
  const elapsed = stopwatch(clock)
  const result = await acquireSlotOfWindow(client, key, limit, options)
  if (result.ok) return { ok: true, resetAfter: window, remaining: result.remaining! }
  const { reason, retryAfter } = result
  if (reason === 'locked') {
    const certain = Math.min(retryAfter, settling) * (1 - driftFactor) - 2
    rememberWindow(cache, name, {
      elapsed,
      certain,
      over: retryAfter,
      holder: undefined,
      age: elapsed,
    })
  }
  return result
}
