import type { Refusal } from '../reports/results.ts'
import { boundedMap } from '../util/bounded-map.ts'
import type { Client } from './client.ts'

/** A throttle window that was found closed. */
type ClosedWindow = {
  /** Reads the ms since the call began that found it closed. */
  readonly elapsed: () => number
  /** For how many ms from then it is known to stay closed, and after how many it opens. */
  readonly closedFor: number
  readonly opensAfter: number
}

// Of all sets of nodes together.
const windows = boundedMap<ClosedWindow>(2 ** 22)

// The bytes of a window with its two clocks on V8.
const windowBytes = 700

/**
 * The longest time in ms for which the cache can be wrong: a pass of another client that was seen may still fail,
 * by coming too late or by being aborted.
 */
const maxAge = 1000

/**
 * Remembers that a window is closed for so many ms, from the start of the stopwatch. A node that said so for
 * another client may have answered as late as now: only then is the window open for certain.
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
 * The refusal of a call whose window is known to be closed; undefined where the nodes have to be asked.
 *
 * @throws the signal's reason.
 */
export const closedRefusal = (
  { emit }: Client,
  keys: readonly string[],
  name: string,
  signal: AbortSignal | undefined,
): Refusal | undefined => {
  const known = windows.get(name)
  const elapsed = known?.elapsed() ?? 0
  if (!known || elapsed >= known.closedFor) return undefined
  signal?.throwIfAborted()
  const retryAfter = known.opensAfter - elapsed
  const refusal: Refusal = { ok: false, reason: 'locked', retryAfter, nodes: [] }
  emit?.({ kind: 'throttle', type: 'rejected', keys, elapsed: 0, attempts: 0, ...refusal })
  return refusal
}
