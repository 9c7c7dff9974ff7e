import type { Lock } from '../../core/lock/lock.ts'
import { keepAliveLimits, type KeepAliveLimits } from '../../core/options/call-options.ts'
import { type Claim, claim, tellOpen } from '../../core/claim/claim.ts'
import type { Redlock } from '../../client/redlock.ts'
import { onceWait } from '../../core/retry/times.ts'
import { waitingFor } from '../../core/retry/waiting.ts'
import { deferred, stopwatch } from '../../util/clock.ts'
import { checkFunction } from '../../util/validate.ts'
import { handOver, mayRetry, type OnceKey, onceKey, unclaimedError } from './key.ts'
import { NotRecordedError } from './not-recorded-error.ts'
import { checkOnceOptions, type CodecFor, type OnceOptions } from './options.ts'
import {
  copyOf,
  decodeValue,
  forgotten,
  readValue,
  writeThrown,
  writeValue,
  type WrittenOutcome,
} from './value.ts'

/** Work that is to run once. It gets the lock of its key. */
type OnceRun<T, Given = Lock> = (lock: Given) => T | PromiseLike<T>

type Work<T> = {
  readonly key: string
  readonly request: OnceKey
  readonly options: OnceOptions<T>
  readonly limits: KeepAliveLimits
  readonly run: OnceRun<T>
}

/** How a run has ended: with a value, or by what it has thrown. */
type RunOutcome<T> = { readonly hasThrown: boolean; readonly value?: T; readonly thrown?: unknown }

/** Runs, with a handle of its own: a run that releases its lock must not free the key. */
const callRun = async <T>(run: OnceRun<T>, handle: Lock): Promise<RunOutcome<T>> => {
  try {
    return { hasThrown: false, value: await run(handle) }
  } catch (error) {
    return { hasThrown: true, thrown: error }
  } finally {
    await handle.release()
  }
}

/** Another handle on the lock. @throws `LockLostError` if the process stood still until the lock was lost. */
const enter = async (lock: Lock): Promise<Lock> => {
  try {
    return lock.reenter()
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Frees the key of a run that has thrown, so that another call runs again. */
const giveUp = async <T>({ key, request }: Work<T>, lock: Lock): Promise<void> => {
  await lock.release()
  const { emit } = request.client
  emit?.({ kind: 'claim', keys: [`once:${key}`], type: 'not-recorded', reason: 'failed' })
}

/** What a call gets whose own outcome was recorded: as all others get it, and from here, since a store may be late. */
const ownOutcome = async <T>(
  { key, options }: Work<T>,
  outcome: RunOutcome<T>,
  { bytes, cause }: WrittenOutcome,
): Promise<T> => {
  if (outcome.hasThrown && cause === undefined) throw outcome.thrown
  if (!bytes) throw new NotRecordedError(key, 'not-kept', { value: outcome.value }, cause)
  return decodeValue(bytes, options)
}

/** What a call gets whose run has ended, where a quorum has this record: its own, or that of another call. */
const recordedOutcome = async <T>(
  work: Work<T>,
  outcome: RunOutcome<T>,
  written: WrittenOutcome,
  content: string,
): Promise<T> => {
  if (content === written.content) return ownOutcome(work, outcome, written)
  const { hasThrown, value, thrown } = outcome
  // Its own error says more than that it was not recorded.
  if (hasThrown && !written.isAnswer) throw thrown
  if (content === forgotten) throw new NotRecordedError(work.key, 'lost', { value }, thrown)
  // The outcome that all others get, in place of its own.
  return readValue(work.key, content, work.options, { value })
}

/** Records the outcome of a run, and returns or throws what all other calls get. */
const settleRun = async <T>(
  work: Work<T>,
  { lock, complete }: Claim,
  outcome: RunOutcome<T>,
): Promise<T> => {
  const { key, request, options } = work
  const { hasThrown, value, thrown } = outcome
  const elapsed = stopwatch(request.client.clock)
  const ttl = Math.max(options.keepFor, handOver)
  const written = hasThrown
    ? writeThrown(thrown, options)
    : await writeValue(value as T, options, ttl)
  if (!written) {
    await giveUp(work, lock)
    throw thrown
  }
  // A run that has lost its key must not record over a later one.
  const isOurs = lock.held
  const draft = { fingerprint: request.fingerprint, content: written.content, ttl }
  const completed = await complete(draft, () => lock.held)
  if (completed.state === 'recorded') {
    return recordedOutcome(work, outcome, written, completed.record.content)
  }
  await lock.release()
  // Its own error says more than that it was not recorded.
  if (hasThrown && !written.isAnswer) throw thrown
  const reason = completed.state === 'unavailable' && isOurs ? 'unavailable' : 'lost'
  if (reason === 'unavailable' && options.failOpen) {
    tellOpen(request, completed, elapsed())
    return ownOutcome(work, outcome, written)
  }
  throw new NotRecordedError(key, reason, { value }, thrown)
}

/** Runs without a lock. The value is what the codec keeps of it, as it is for a run with a lock. */
const runOpen = async <T>({ key, options, run }: Work<T>): Promise<T> => {
  const value = await (run as OnceRun<T, Lock | undefined>)(undefined)
  try {
    return await copyOf(value, options)
  } catch (error) {
    throw new NotRecordedError(key, 'not-kept', { value }, error)
  }
}

/** Runs, and settles the outcome. */
const runClaimed = async <T>(work: Work<T>, claimed: Claim): Promise<T> => {
  const { lock } = claimed
  lock.keepAlive(work.limits)
  const outcome = await callRun(work.run, await enter(lock))
  return settleRun(work, claimed, outcome)
}

/** Runs, or waits for the value of another run. */
const runOrWait = async <T>(work: Work<T>): Promise<T> => {
  const { key, request, options } = work
  const { maxHold } = work.limits
  const { wait = onceWait, signal, failOpen } = options
  const { left, pause } = waitingFor(request.client.clock, wait, signal)
  for (;;) {
    const result = await claim(request, { wait: left(), signal, maxHold, failOpen })
    if (result.state === 'claimed') return runClaimed(work, result.claim)
    if (result.state !== 'recorded') {
      if (failOpen && result.mayPass) return runOpen(work)
      // A call that may run without a lock, and does not, may be beside one that holds the key.
      throw unclaimedError(key, failOpen ? { ...result, state: 'locked' } : result)
    }
    const { content, ttl } = result.record
    if (content !== forgotten) return readValue(key, content, options)
    if (!mayRetry(request, left())) throw unclaimedError(key, { state: 'locked', retryAfter: ttl })
    await pause(Math.max(1, ttl))
  }
}

type Once = {
  <T>(
    redlock: Redlock,
    key: string,
    options: OnceOptions<T> & { readonly failOpen?: false | undefined } & CodecFor<T>,
    run: OnceRun<T>,
  ): Promise<T>
  /** With `failOpen`, a run in an outage gets no lock. */
  <T>(
    redlock: Redlock,
    key: string,
    options: OnceOptions<T> & CodecFor<T>,
    run: OnceRun<T, Lock | undefined>,
  ): Promise<T>
}

/**
 * Runs a function once for a key, across all isolates and processes: one call runs it, and all others get its
 * value, now and for `keepFor` ms. A run that throws an error frees the key, and rejects its own call only, unless
 * `failures: 'replay'` records the error for all. A redirect that a framework throws is an answer: it is recorded, and
 * thrown again by each call. If the process dies, another call runs after the `ttl`.
 *
 * It takes a claim on a quorum of nodes, and puts the value in its place: two round trips for the call that
 * runs, and one for a call that finds the value. The value is recorded by single-decree Paxos, so that two calls
 * never see two values while one is kept.
 *
 * @param key - Names the work. Not a secret: it is part of a Redis key.
 * @param run - Gets the lock of the key: its `signal` aborts if the key is lost, and `fencingToken()` guards a store.
 * @returns the value as the codec decodes it, also for the call that has run.
 * @throws the error of `run`; `ReplayedError` when an earlier run has thrown, with `failures: 'replay'`; `LockedError` when another call still runs after `wait`; `QuorumError` when too
 *   few nodes answered, and nothing ran; `NotRecordedError` when it ran, and its value was not recorded;
 *   `LockLostError` when the process stood still before the run; the reason of the signal.
 *   With `failOpen`, it runs without a lock where a majority of the nodes has failed, and a `LockedError` replaces the
 *   `QuorumError`.
 * @function
 * @see Lamport, Paxos Made Simple, 2001
 * @example
 * ```ts
 * const token = await once(redlock, `token:${userId}`, { keepFor: 60_000 }, () => refresh(userId))
 * // Refreshes even if the nodes are unavailable, after three seconds.
 * const open = { keepFor: 60_000, wait: 3_000, failOpen: true }
 * const other = await once(redlock, `token:${userId}`, open, (lock) => refresh(userId, lock?.signal))
 * ```
 */
export const once: Once = async <T>(
  redlock: Redlock,
  key: string,
  options: OnceOptions<T> & CodecFor<T>,
  run: OnceRun<T>,
): Promise<T> => {
  checkOnceOptions(options)
  checkFunction('run', run)
  const request = onceKey(redlock, key, options)
  const work = { key, request, options, limits: keepAliveLimits(options), run }
  // Where a client disconnects, the platform may end what no `waitUntil` knows of.
  const end = options.waitUntil && deferred(options.waitUntil)
  try {
    return await runOrWait(work)
  } finally {
    end?.()
  }
}
