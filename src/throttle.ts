import { acquire } from './acquire/acquire.ts'
import type { AcquireResult, ThrottleResult } from './acquire/results.ts'
import type { Client } from './local/client.ts'
import { refusalOf, settling } from './local/closed-window.ts'
import { findWindow, rememberWindow } from './local/isolate-cache.ts'
import type { ThrottleOptions } from './options/call-options.ts'
import { checkKeys, throttles } from './protocol/keys.ts'
import { quorumHolder } from './quorum/tally.ts'
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
 * Lets one call pass per window. Nobody releases a window, so one that was found closed stays closed:
 * until it opens, the answer comes from the isolate's cache and costs no request.
 */
export const throttle = async (
  client: Client,
  key: string | readonly string[],
  options: ThrottleOptions,
): Promise<ThrottleResult> => {
  const { cache, clock, driftFactor, quorum } = client
  const { window, signal } = options
  const keys = checkKeys(key)
  // No key contains half of a surrogate pair, so other keys have another name.
  const name = `${cache.number} ${keys.join('\ud800')}`
  const known = findWindow(cache, name, clock)
  const refusal = refusalOf(client, keys, known, signal)
  if (refusal) return refusal
  const elapsed = stopwatch(clock)
  const result = await acquireWindow(client, key, options)
  // After a split vote nobody is known to have the window. One node is enough where only one was asked.
  const holder = result.ok
    ? undefined
    : quorumHolder(result.nodes, Math.min(quorum, result.nodes.length))?.holder
  if (result.ok || holder) {
    const age = known && known.holder === holder ? known.age : elapsed
    const closed = result.ok ? window : result.retryAfter
    // A holder that only one node has reported may still fail to get a quorum, however long that takes.
    const isSettled = result.ok || (result.nodes.length >= quorum && age() > settling)
    const certain = (isSettled ? closed : Math.min(closed, settling)) * (1 - driftFactor) - 2
    rememberWindow(cache, name, { elapsed, certain, over: closed, holder, age })
  }
  return result.ok ? { ok: true, resetAfter: window } : result
}
