import { acquire } from './acquire/acquire.ts'
import type { AcquireResult, ThrottleResult } from './acquire/results.ts'
import type { Client } from './local/client.ts'
import { closedRefusal, noteClosed } from './local/closed-window.ts'
import type { ThrottleOptions } from './options/call-options.ts'
import { checkKeys, throttles } from './protocol/keys.ts'
import { quorumHolder } from './vote/tally.ts'
import { stopwatch } from './util/clock.ts'
import { checkTtl } from './util/validate.ts'

/** Passes a throttle by locking its window. Releasing that lock takes the pass back. */
export const acquireWindow = (
  client: Client,
  key: string | readonly string[],
  options: ThrottleOptions,
): Promise<AcquireResult> => {
  const { window } = options
  checkTtl('window', window, client)
  return acquire(client, throttles, key, { ...options, ttl: window, wait: 0 })
}

/**
 * Lets one call pass per window. A window is never released, so a closed one stays closed until it ends: the
 * answer comes from the isolate's cache and costs no request, for a second where another client has passed.
 */
export const throttle = async (
  client: Client,
  key: string | readonly string[],
  options: ThrottleOptions,
): Promise<ThrottleResult> => {
  const { cache, clock, quorum } = client
  const { window, signal } = options
  const keys = checkKeys(key)
  // No key contains half of a surrogate pair, so other keys have another name.
  const name = `${cache.number} ${keys.join('\ud800')}`
  const refusal = closedRefusal(client, keys, name, signal)
  if (refusal) return refusal
  const elapsed = stopwatch(clock)
  const result = await acquireWindow(client, key, options)
  // After a split vote nobody is known to have the window. One node is enough where only one was asked.
  const isClosed =
    result.ok || quorumHolder(result.nodes, Math.min(quorum, result.nodes.length)) !== undefined
  if (isClosed) noteClosed(client, name, elapsed, result.ok ? window : result.retryAfter, result.ok)
  return result.ok ? { ok: true, resetAfter: window } : result
}
