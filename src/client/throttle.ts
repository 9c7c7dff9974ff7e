import {
  type InterceptedCall,
  acquisitionFor,
  intercept,
  type ThrottleResult,
  type WindowResult,
} from '../core/lock/acquire.ts'
import { runCall } from '../core/call.ts'
import type { Slotted, SlotThrottleOptions, ThrottleOptions } from '../core/options/call-options.ts'
import type { Rejection } from '../core/results/results.ts'
import { checkKeys, throttles } from '../protocol/keys.ts'
import { clientOf, type Redlock } from './redlock.ts'
import { quorumHolder } from '../core/quorum.ts'
import { stopwatch } from '../util/clock.ts'
import { assertOption, checkOptions, checkTtl, warnOfSeconds } from '../util/validate.ts'
import { boundedMap } from '../util/bounded-map.ts'
import type { Client } from '../core/process/client.ts'
import { idOfKeys } from '../core/process/wait-queue.ts'

/** A throttle window that is known to be closed. */
type ClosedWindow = {
  /** Returns the time since the start of the call that found the window closed, in ms. */
  readonly elapsed: () => number
  /** How long the window certainly stays closed, and when it certainly opens, in ms from the same start. */
  readonly closedFor: number
  readonly opensAfter: number
}

// The closed windows of all sets of nodes.
const windows = boundedMap<ClosedWindow>(2 ** 22)

// The size of an entry on V8, in bytes, without its name.
const windowBytes = 700

/**
 * How long to trust the cache if another client passed, in ms. That client's pass can still fail: it can come too late,
 * or be aborted.
 */
const maxAge = 1000

/**
 * Remembers that a window is closed for `opensAfter` ms from the start of the stopwatch. If another client passed, a
 * node may have measured that time as late as now. The window is then certainly open only `opensAfter` ms from now.
 */
export const noteClosed = (
  { cache, driftFactor }: Client,
  name: string,
  elapsed: () => number,
  opensAfter: number,
  isOwn: boolean,
): void => {
  const closedFor = Math.min(opensAfter, isOwn ? Infinity : maxAge) * (1 - driftFactor) - 2
  const known = { elapsed, closedFor, opensAfter: isOwn ? opensAfter : opensAfter + elapsed() }
  if (cache.number) windows.set(name, known, windowBytes)
}

/**
 * The rejection for a call whose window is known to be closed; undefined if the call must ask the nodes.
 *
 * @throws the signal's reason.
 */
export const closedRejection = (
  { emit }: Client,
  keys: readonly string[],
  name: string,
  signal: AbortSignal | undefined,
): Rejection | undefined => {
  const known = windows.get(name)
  const elapsed = known?.elapsed() ?? 0
  if (!known || elapsed >= known.closedFor) return undefined
  signal?.throwIfAborted()
  const retryAfter = known.opensAfter - elapsed
  const rejection: Rejection = { ok: false, reason: 'locked', retryAfter, nodes: [] }
  emit?.({ kind: 'throttle', type: 'rejected', keys, elapsed: 0, attempts: 0, ...rejection })
  return rejection
}

const windowAcquisition = acquisitionFor(throttles)

const acquireWindow = ({
  client,
  acquisition = windowAcquisition,
  key,
  options,
}: InterceptedCall): Promise<WindowResult> => {
  const { window, wait } = options
  assertOption(wait === undefined, 'wait', 'used with withSlots', wait)
  checkTtl('window', window!, client)
  return runCall(client, acquisition, key, { ...options, ttl: window, wait: 0 })
}

/** Whether the rejection shows that the window is closed. After a split vote, a pass may still be left. */
const isWindowTaken = (
  { nodes, reason }: Rejection,
  { client, acquisition }: InterceptedCall,
): boolean =>
  acquisition?.slots
    ? // If this call was granted a slot on some node, it releases the slot, so a pass may be left.
      reason === 'locked' && !nodes.some(({ status }) => status === 'granted')
    : // If only one node was asked, that node is enough.
      quorumHolder(nodes, Math.min(client.quorum, nodes.length)) !== undefined

const passOnce = async (call: InterceptedCall): Promise<ThrottleResult> => {
  const { client, acquisition, key, options } = call
  const { cache, clock } = client
  const { window, signal } = options
  const keys = checkKeys(key)
  const name = `${cache.number}:${acquisition?.slots ?? ''}:${idOfKeys(keys)}`
  const rejection = closedRejection(client, keys, name, signal)
  if (rejection) return rejection
  const elapsed = stopwatch(clock)
  const result = await acquireWindow(call)
  if (!result.ok) {
    if (isWindowTaken(result, call)) noteClosed(client, name, elapsed, result.retryAfter, false)
    return result
  }
  const { remaining } = result
  if (!acquisition?.slots) noteClosed(client, name, elapsed, window!, true)
  return { ok: true, resetAfter: window!, ...(remaining !== undefined && { remaining }) }
}

/** Takes a pass, unless the window is known to be closed. */
export const takePass = (
  client: InterceptedCall['client'],
  key: InterceptedCall['key'],
  options: InterceptedCall['options'],
): Promise<ThrottleResult> => intercept({ operation: 'throttle', client, key, options }, passOnce)

/**
 * Takes a pass in the form of a lock on its window. Releasing the lock returns the pass, so the window is not cached as
 * closed.
 */
export const passToKeep = (
  client: InterceptedCall['client'],
  key: InterceptedCall['key'],
  options: InterceptedCall['options'],
): Promise<WindowResult> =>
  intercept({ operation: 'throttle', client, key, options }, acquireWindow)

/**
 * Lets one call per key and window pass. The key is held for the whole window and never released, so the isolate can
 * reject further calls without a request. If the passing call was its own, it does so until the window opens, otherwise
 * for a second.
 *
 * @throws the signal's reason; the window stays free then.
 * @example
 * ```ts
 * const result = await throttle(redlock, lockKey('submit', userId), { window: 5_000 })
 * if (!result.ok) return tooManyRequests(result.retryAfter)
 * ```
 */
export const throttle = async <Given extends Redlock>(
  redlock: Given,
  key: string | readonly string[],
  options: ThrottleOptions & (Given extends Slotted ? SlotThrottleOptions : unknown),
): Promise<ThrottleResult> => {
  const client = clientOf(redlock)
  checkOptions('throttle()', options, 'window, limit, wait, strategy, signal, waitUntil')
  warnOfSeconds(client, options)
  return takePass(client, key, options)
}
