import { contestFor } from './acquire/acquire.ts'
import { type Call, intercept } from './acquire/call.ts'
import { contend } from './acquire/contend.ts'
import type { ThrottleResult, WindowResult } from './acquire/results.ts'
import { closedRefusal, noteClosed } from './local/closed-window.ts'
import type { SlotThrottleOptions, Slotted, ThrottleOptions } from './options/call-options.ts'
import type { Refusal } from './reports/results.ts'
import { checkKeys, throttles } from './protocol/keys.ts'
import { clientOf, type Redlock } from './redlock.ts'
import { quorumHolder } from './vote/tally.ts'
import { stopwatch } from './util/clock.ts'
import { assertOption, checkOptions, checkTtl } from './util/validate.ts'

const windowContest = contestFor(throttles)

const acquireWindow = ({
  client,
  contest = windowContest,
  key,
  options,
}: Call): Promise<WindowResult> => {
  const { window, wait } = options
  assertOption(wait === undefined, 'wait', 'used with withSlots', wait)
  checkTtl('window', window!, client)
  return contend(client, contest, key, { ...options, ttl: window, wait: 0 })
}

/** Whether somebody is known to have the window. After a split vote nobody is. */
const isTaken = ({ nodes, reason }: Refusal, { client, contest }: Call): boolean =>
  contest?.slots
    ? // One that was granted may be given up, and then there is a pass left.
      reason === 'locked' && !nodes.some(({ status }) => status === 'granted')
    : // One node is enough where only one was asked.
      quorumHolder(nodes, Math.min(client.quorum, nodes.length)) !== undefined

const passOnce = async (call: Call): Promise<ThrottleResult> => {
  const { client, contest, key, options } = call
  const { cache, clock } = client
  const { window, signal } = options
  const keys = checkKeys(key)
  // No key contains half of a surrogate pair, so other keys have another name.
  const name = [cache.number, contest?.slots, ...keys].join('\ud800')
  const refusal = closedRefusal(client, keys, name, signal)
  if (refusal) return refusal
  const elapsed = stopwatch(clock)
  const result = await acquireWindow(call)
  if (!result.ok) {
    if (isTaken(result, call)) noteClosed(client, name, elapsed, result.retryAfter, false)
    return result
  }
  const { remaining } = result
  if (!contest?.slots) noteClosed(client, name, elapsed, window!, true)
  return { ok: true, resetAfter: window!, ...(remaining !== undefined && { remaining }) }
}

/** Takes a pass, unless the window is known to be closed. */
export const takePass = (
  client: Call['client'],
  key: Call['key'],
  options: Call['options'],
): Promise<ThrottleResult> => intercept({ operation: 'throttle', client, key, options }, passOnce)

/** A pass as a lock on its window. Releasing that lock takes the pass back, so no window is remembered. */
export const passToKeep = (
  client: Call['client'],
  key: Call['key'],
  options: Call['options'],
): Promise<WindowResult> =>
  intercept({ operation: 'throttle', client, key, options }, acquireWindow)

/**
 * Lets one call per key and window pass. The key is held for the window and never released. So the
 * isolate refuses further calls without a request: until the window opens if it was closed here, and
 * for a second if it was closed elsewhere.
 *
 * @throws the signal's reason; the window stays free then.
 * @example
 * ```ts
 * const result = await throttle(redlock, lockKey('submit', userId), { window: 5_000 })
 * if (!result.ok) return tooManyRequests(result.retryAfter)
 * ```
 */
export const throttle = async <Client extends Redlock>(
  redlock: Client,
  key: string | readonly string[],
  options: ThrottleOptions & (Client extends Slotted ? SlotThrottleOptions : unknown),
): Promise<ThrottleResult> => {
  const client = clientOf(redlock)
  checkOptions('throttle()', options, 'window, limit, wait, strategy, signal, waitUntil')
  return takePass(client, key, options)
}
