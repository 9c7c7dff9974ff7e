import { createLock } from '../core/lock/held-lock.ts'
import type { Lock } from '../core/lock/lock.ts'
import { watchExpiry } from '../core/lock/lock-state.ts'
import { parseLock, type SerializedLock } from '../core/lock/serialized-lock.ts'
import type { TryAcquireOptions } from '../core/options/call-options.ts'
import { clientOf, type Redlock } from './redlock.ts'
import { existingLease } from '../core/attempt.ts'
import { stopwatch } from '../util/clock.ts'
import { checkFunction, checkOptions, checkTtl } from '../util/validate.ts'

/**
 * Takes over a lock that another process acquired and passed on with `serialize`. That process must stop using the
 * lock. Until the first `extend`, the remaining time of the lock is estimated from the clocks of both machines.
 *
 * @param serialized - The plain object that `serialize` returned, or its JSON.
 * @throws `TypeError` or `RangeError` if `serialized` is neither.
 * @example
 * ```ts
 * const lock = adopt(redlock, message.body.lock)
 * await lock.extend()
 * ```
 */
export const adopt = (
  redlock: Redlock,
  serialized: SerializedLock | string,
  options: Pick<TryAcquireOptions, 'waitUntil'> = {},
): Lock => {
  const client = clientOf(redlock)
  checkOptions('adopt()', options, { waitUntil: checkFunction })
  const { expiresAt, keys, value, ttl, metadata } = parseLock(serialized)
  checkTtl('ttl', ttl, client)
  const attempt = existingLease(client, keys, value, ttl, metadata, options.waitUntil)
  const lock = createLock({ attempt, elapsed: stopwatch(client.clock), answers: [] })
  const state = lock.state()
  state.validity = Math.min(state.validity, expiresAt - client.clock.wall())
  state.isUnconfirmed = true
  if (state.cancelExpiry) watchExpiry(state)
  return lock
}
