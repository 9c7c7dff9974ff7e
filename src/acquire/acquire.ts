import { enter, leave } from '../local/wait-queue.ts'
import type { AcquireResult } from '../options/call-options.ts'
import type { Settings } from '../options/resolve-options.ts'
import { checkKeys, type Namespace } from '../protocol/keys.ts'
import { type Claim, isAffordable } from '../quorum/lease.ts'
import { type RetryFunction, retryFunction } from '../retry/retry.ts'
import { sleep, stopwatch } from '../util/clock.ts'
import { checkNumber, leastTtl } from '../util/validate.ts'
import { attempt, type Attempted, type Refusal } from './attempt.ts'
import { type Lookout, lookAgain } from './split-vote.ts'
import { type ContendOptions, checkCall } from './validate-call.ts'

// What the first in line is refused with is not known yet.
const queued: Refusal = { ok: false, reason: 'locked', retryAfter: 1000, nodes: [] }
// Whoever yields in a split vote asks again, to be refused only by a winner: should the leader be
// gone, a burst would else end without one.
const splitTries = 3
// Ms for which it must be possible to hold it, for another try to be worth it: nodes that have less
// time than that to answer would make an outage of what is none.
const leastHold = 100
// Every so many tries of a call ask all nodes, since the first may be held by nobody who has a
// quorum: by one who died on the way to it.
const fullLook = 4

/**
 * Tries until the lock is held, or `retry` or `wait` say that it is enough.
 *
 * Those who wait stand in line, where only the first asks the nodes: the others are refused as
 * that one was, as often as their `retry` likes.
 *
 * @throws the signal's reason; nothing stays locked then.
 */
export const contend = async (
  settings: Settings,
  namespace: Namespace,
  key: string | readonly string[],
  options: ContendOptions,
): Promise<AcquireResult> => {
  const { clock, random, emit, singleFlight, lines, strategy, nodes } = settings
  const { ttl: given = settings.ttl, maxHold, wait = Infinity, signal, waitUntil } = options
  const { metadata = '', failOpen } = options
  const keys = checkKeys(key)
  checkCall(settings, options)

  const total = stopwatch(clock)
  const allowance = { left: settings.budget }
  const place = wait > 0 && singleFlight ? enter(lines, keys) : undefined
  let next: RetryFunction | undefined
  let seen: Attempted | undefined
  let look: Lookout | boolean = false
  let isLocked = false
  let isAlone = false
  let took: number | undefined
  let hasWon = false
  try {
    for (let turn = 0, attempts = 1, tries = 0, splits = 0, looks = 0; ; turn++) {
      signal?.throwIfAborted()
      const isDue = place?.isDue
      if (place) place.isDue = false
      // A value must not serve two attempts: the release that ends the first may arrive during the
      // second and take its lock away.
      const value = settings.makeValue()
      const most = typeof maxHold === 'function' ? maxHold() : (maxHold ?? Infinity)
      const ttl = Math.max(leastTtl, Math.floor(Math.min(given, most)))
      const open = nodes.map(() => 0)
      const claim: Claim = {
        settings,
        namespace,
        keys,
        value,
        metadata,
        ttl,
        allowance,
        open,
        waitUntil,
      }
      const elapsed = turn > 0 ? stopwatch(clock) : total
      const isNext = !place || place.line.places[0] === place || looks > 0
      if (isNext) {
        // Who was refused asks the first node alone, if that works; but now and then all of them.
        // Not after an outage, in which this caller may have left something there itself; nor when the
        // lock was just given back, or for the last time.
        const isRefused = isLocked && seen?.answers[0]?.status === 'locked' && !isDue
        const isOne = isRefused && total() < wait && !looks && tries % fullLook > 0
        const alone = { index: 0, patience: took && 2 * took }
        isAlone = Boolean(nodes[1] && (tries++ ? isOne : strategy === 'frugal'))
        const ahead = isAlone ? alone : undefined
        seen = await attempt(claim, elapsed, typeof look === 'object' ? look : ahead, signal)
      }
      const result = isNext ? seen!.result : (place.line.refusal ?? queued)
      if (result.ok) {
        hasWon = true
        emit?.({ type: 'acquired', keys, elapsed: total(), attempts })
        return result
      }
      if (isNext && !isAlone) took = elapsed()
      const told = { keys, elapsed: total(), attempts, ...result }
      if (place) place.line.refusal = result
      const { reason } = result
      isLocked = reason === 'locked'
      const isSplit = isNext && isLocked && !seen!.holder
      if (isSplit) emit?.({ type: 'split', ...told })
      look = isSplit && lookAgain(seen!.answers, settings.quorum)
      // Who tries again anyway needs no lookout.
      if (look && wait > 0) look = true
      const isAgain = look && splits++ < splitTries
      const spare = typeof maxHold === 'function' ? maxHold() - leastHold : Infinity
      const left = isAffordable(claim) ? Math.min(isAgain ? Infinity : wait - total(), spare) : 0
      // With a ceiling in time, and no word on attempts, the time alone decides.
      const usual = wait < Infinity ? Infinity : 10
      next ??= retryFunction(options.retry ?? settings.retry, random, usual)
      const delay =
        left > 0 &&
        (isAgain
          ? // About as long as another attempt takes: whoever leads is through by then.
            elapsed() * ((wait > 0 ? 1 : 2) + random())
          : next(attempts++, result))
      if (delay === false) {
        // An outage that another has met may be over, and the first node may be held by nobody who
        // has a quorum: neither is told without a look.
        const isHearsay = isNext ? isAlone && tries > 1 : reason === 'unavailable'
        if (isHearsay && !looks && isAffordable(claim)) {
          looks++
          continue
        }
        const type = failOpen && reason === 'unavailable' ? 'failed-open' : 'rejected'
        emit?.({ type, ...told })
        return result
      }
      checkNumber('retry', delay, 0)
      const onStart = place && ((wake: () => void): void => void (place.wake = wake))
      if (!place?.isDue) await sleep(clock, Math.min(delay, left), signal, onStart)
    }
  } finally {
    if (place) leave(lines, place, hasWon)
  }
}
