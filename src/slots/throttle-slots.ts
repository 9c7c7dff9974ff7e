import { contend } from '../acquire/contend.ts'
import type { ThrottleResult, WindowResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import { closedRefusal, noteClosed } from '../local/closed-window.ts'
import type { ThrottleOptions } from '../options/call-options.ts'
import { checkKeys, throttles } from '../protocol/keys.ts'
import { stopwatch } from '../util/clock.ts'
import { checkTtl } from '../util/validate.ts'
import { slotContest } from './slot-contest.ts'

/** Passes a throttle by locking one of its slots for the window. Releasing that lock takes the pass back. */
export const acquireSlotOfWindow = (
  client: Client,
  key: string,
  limit: number,
  { window, limit: _limit, ...rest }: ThrottleOptions,
): Promise<WindowResult> => {
  checkTtl('window', window, client)
  return contend(client, slotContest(throttles, limit), key, { ...rest, ttl: window, wait: 0 })
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
  const { cache, clock } = client
  const { window, signal } = options
  const keys = checkKeys(key)
  const name = JSON.stringify([cache.number, keys, limit])
  const refusal = closedRefusal(client, keys, name, signal)
  if (refusal) return refusal
  const elapsed = stopwatch(clock)
  const result = await acquireSlotOfWindow(client, key, limit, options)
  if (result.ok) return { ok: true, resetAfter: window, remaining: result.remaining! }
  if (result.reason === 'locked')
    noteClosed(client, name, elapsed, result.retryAfter + elapsed(), false)
  return result
}
