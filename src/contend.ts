import { attempt, type Attempted, type Refusal } from './attempt.ts'
import type { AcquireResult, UsingOptions } from './calls.ts'
import { isAffordable } from './claim.ts'
import { sleep, stopwatch } from './clock.ts'
import { isDeputy } from './contention.ts'
import { checkFunctions, checkNumber, checkTtl, expect, leastTtl } from './expect.ts'
import { checkKeys, checkText, type Namespace } from './keys.ts'
import { enter, leave } from './line.ts'
import { retryFunction } from './retry.ts'
import type { Settings } from './settings.ts'

/** Ms for which a lock may be held at most: from now, or from whenever it is asked for. */
export type MaxHold = number | (() => number) | undefined

// Whoever yields in a split vote asks again, to be refused only by a winner: should the leader be
// gone, a burst would else end without one.
const splitTries = 3
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
  options: Omit<UsingOptions, 'maxHold'> & { readonly maxHold?: MaxHold },
): Promise<AcquireResult> => {
  const { clock, random, emit, singleFlight, lines, strategy, nodes } = settings
  const {
    ttl: given = settings.ttl,
    maxHold,
    wait = Infinity,
    signal,
    waitUntil = () => {},
    metadata = '',
    failOpen,
  } = options
  const keys = checkKeys(key)
  const isSignal = signal === undefined || 'throwIfAborted' in Object(signal)
  expect(isSignal, 'signal', 'an AbortSignal', signal)
  checkFunctions({ waitUntil })
  // What throws, as a detached one does on Workers, is to throw before anything is locked.
  waitUntil(Promise.resolve())
  checkText('metadata', metadata)
  checkTtl('ttl', given, settings)
  checkNumber('wait', wait, 0)
  // With a ceiling in time, and no word on attempts, the time alone decides.
  const usual = wait < Infinity ? Infinity : 10
  const next = retryFunction(options.retry ?? settings.retry, random, usual)

  const total = stopwatch(clock)
  const queued: Refusal = {
    ok: false,
    reason: 'locked',
    retryAfter: 1000,
    nodes: [],
  }
  let hasWon = false
  // Whether somebody says, while this one asks or waits, that another try is worth it.
  let isDue = false
  let wake = (): void => {}
  const onDue = (): void => {
    isDue = true
    wake()
  }
  const allowance = { left: settings.budget }
  let seen: Attempted | undefined
  /** Who was refused asks the first node alone, if that works; but now and then all of them. */
  const isFrugal = (tries: number): boolean => {
    const [first] = seen?.answers ?? []
    if (!nodes[1]) return false
    return tries ? tries % fullLook > 0 && !!first && !first.error : strategy === 'frugal'
  }
  const place = wait > 0 && singleFlight && enter(lines, keys, onDue)
  try {
    for (let attempts = 1, tries = 0, splits = 0, looks = 0; ;) {
      signal?.throwIfAborted()
      isDue = false
      // A value must not serve two attempts: the release that ends the first may arrive during the
      // second and take its lock away.
      const value = settings.makeValue()
      const most = typeof maxHold === 'function' ? maxHold() : (maxHold ?? Infinity)
      const ttl = Math.max(leastTtl, Math.floor(Math.min(given, most)))
      const open = nodes.map(() => 0)
      const claim = {
        ...settings,
        namespace,
        keys,
        value,
        metadata,
        ttl,
        waitUntil,
        allowance,
        open,
      }
      const took = stopwatch(clock)
      const isNext = !place || place.line[0] === place || looks > 0
      if (isNext) seen = await attempt(claim, isFrugal(tries++), signal)
      const result = isNext ? seen!.result : (place.line.refusal ?? queued)
      const about = { keys, elapsed: total(), attempts }
      if (result.ok) {
        hasWon = true
        emit({ type: 'acquired', ...about })
        return result
      }
      if (place) place.line.refusal = result
      const { reason } = result
      const isSplit = isNext && reason === 'locked' && !seen!.holder
      if (isSplit) emit({ type: 'split', ...about, ...result })
      const isAgain = isSplit && isDeputy(seen!.answers) && splits++ < splitTries
      const left = !isAffordable(claim) ? 0 : isAgain ? Infinity : wait - total()
      const delay =
        left > 0 &&
        (isAgain
          ? // About as long as another attempt takes: whoever leads is through by then.
            took() * (1 + random())
          : next(attempts++, result))
      if (delay === false) {
        // An outage that another has met may be over: it is not told without a look.
        if (!isNext && reason === 'unavailable') {
          looks++
          continue
        }
        const type = failOpen && reason === 'unavailable' ? 'failed-open' : 'rejected'
        emit({ type, ...about, ...result })
        return result
      }
      checkNumber('retry', delay, 0)
      if (!isDue) await sleep(clock, Math.min(delay, left), signal, (end) => (wake = end))
    }
  } finally {
    if (place) leave(lines, keys, place, hasWon)
  }
}
