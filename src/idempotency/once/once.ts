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

/** The function to run once. It receives the lock on its key. */
type OnceRun<T, Given = Lock> = (lock: Given) => T | PromiseLike<T>

type Work<T> = {
  readonly key: string
  readonly request: OnceKey
  readonly options: OnceOptions<T>
  readonly limits: KeepAliveLimits
  readonly run: OnceRun<T>
}

/** The outcome of a run: a value, or whatever it threw. */
type RunOutcome<T> = { readonly hasThrown: boolean; readonly value?: T; readonly thrown?: unknown }

/** Runs the function with a separate handle, so that the key stays locked if the function releases its lock. */
const callRun = async <T>(run: OnceRun<T>, handle: Lock): Promise<RunOutcome<T>> => {
  try {
    return { hasThrown: false, value: await run(handle) }
  } catch (error) {
    return { hasThrown: true, thrown: error }
  } finally {
    await handle.release()
  }
}

/** Creates another handle on the lock. @throws `LockLostError` if the process paused until the lock was lost. */
const handleFor = async (lock: Lock): Promise<Lock> => {
  try {
    return lock.reenter()
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Frees the key of a run that threw, so that another call can run. */
const giveUp = async <T>({ key, request }: Work<T>, lock: Lock): Promise<void> => {
  await lock.release()
  const { emit } = request.client
  emit?.({ kind: 'claim', keys: [`once:${key}`], type: 'not-recorded', reason: 'failed' })
}

/** The result of a call whose outcome was recorded, as other calls receive it. Skips the store, which may lag behind. */
const ownOutcome = async <T>(
  { key, options }: Work<T>,
  outcome: RunOutcome<T>,
  { bytes, cause }: WrittenOutcome,
): Promise<T> => {
  if (outcome.hasThrown && cause === undefined) throw outcome.thrown
  if (!bytes) throw new NotRecordedError(key, 'not-kept', { value: outcome.value }, cause)
  return decodeValue(bytes, options)
}

/** The result of a call after its run, once a quorum has recorded the outcome of this call or of another call. */
const recordedOutcome = async <T>(
  work: Work<T>,
  outcome: RunOutcome<T>,
  written: WrittenOutcome,
  content: string,
): Promise<T> => {
  if (content === written.content) return ownOutcome(work, outcome, written)
  const { hasThrown, value, thrown } = outcome
  // The error of the run is more useful than a `NotRecordedError`.
  if (hasThrown && !written.isAnswer) throw thrown
  if (content === forgotten) throw new NotRecordedError(work.key, 'lost', { value }, thrown)
  // All other calls return the recorded outcome, so this call returns the same one.
  return readValue(work.key, content, work.options, { value })
}

/** Records the outcome of a run, then returns or throws the recorded form, as all other calls do. */
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
  // A run that has lost its key must not overwrite the record of a later run.
  const isOurs = lock.held
  const draft = { fingerprint: request.fingerprint, content: written.content, ttl }
  const completed = await complete(draft, () => lock.held)
  if (completed.state === 'recorded') {
    return recordedOutcome(work, outcome, written, completed.record.content)
  }
  await lock.release()
  // The error of the run is more useful than a `NotRecordedError`.
  if (hasThrown && !written.isAnswer) throw thrown
  const reason = completed.state === 'unavailable' && isOurs ? 'unavailable' : 'lost'
  if (reason === 'unavailable' && options.failOpen) {
    tellOpen(request, completed, elapsed())
    return ownOutcome(work, outcome, written)
  }
  throw new NotRecordedError(key, reason, { value }, thrown)
}

/** Runs without a lock. The value passes through the codec, as it does with a lock. */
const runOpen = async <T>({ key, options, run }: Work<T>): Promise<T> => {
  const value = await (run as OnceRun<T, Lock | undefined>)(undefined)
  try {
    return await copyOf(value, options)
  } catch (error) {
    throw new NotRecordedError(key, 'not-kept', { value }, error)
  }
}

/** Runs the function under a claim, and records the outcome. */
const runClaimed = async <T>(work: Work<T>, claimed: Claim): Promise<T> => {
  const { lock } = claimed
  lock.keepAlive(work.limits)
  const outcome = await callRun(work.run, await handleFor(lock))
  return settleRun(work, claimed, outcome)
}

/** Runs the function, or waits for the value of another run. */
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
      // With `failOpen`, an outage would have let this call run, so report the key as locked.
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
  /** With `failOpen`, a run in an outage receives no lock. */
  <T>(
    redlock: Redlock,
    key: string,
    options: OnceOptions<T> & CodecFor<T>,
    run: OnceRun<T, Lock | undefined>,
  ): Promise<T>
}

/**
 * Runs a function once for a key, across all isolates and processes. One call runs the function, and all other calls
 * return its value, now and for `keepFor` ms. If the run throws an error, the key is freed and only that call rejects,
 * unless `failures: 'replay'` records the error for all calls. A redirect that a framework throws counts as a value: it
 * is recorded, and every call throws it again. If the process dies, another call runs after the `ttl`.
 *
 * The call acquires a claim on a quorum of nodes, and later replaces the claim with the value. This takes two round
 * trips for the call that runs, and one for a call that finds the value. Single-decree Paxos records the value, so two
 * calls never return different values while one is kept.
 *
 * @param key - Names the work. It must not be a secret, because it is part of a Redis key.
 * @param run - Receives the lock of the key: its `signal` aborts if the key is lost, and `fencingToken()` guards a
 *   store.
 * @returns the value as the codec decodes it, even for the call that has run.
 * @throws the error of `run`.
 * @throws `ReplayedError` if an earlier run threw an error, and `failures: 'replay'` recorded it.
 * @throws `LockedError` if another call is still running after `wait`.
 * @throws `QuorumError` if too few nodes replied; the function did not run. With `failOpen`, the call runs without a
 *   lock if a majority of the nodes has failed, and otherwise throws a `LockedError` instead.
 * @throws `NotRecordedError` if the function ran, but its value was not recorded.
 * @throws `LockLostError` if the process paused before the run until the lock was lost.
 * @throws the reason of the signal.
 * @function
 * @see Lamport, Paxos Made Simple, 2001
 * @example
 * ```ts
 * const token = await once(redlock, `token:${userId}`, { keepFor: 60_000 }, () => refresh(userId))
 * // Refreshes after three seconds even if the nodes are unavailable.
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
  // When a client disconnects, the platform may stop any work that was not passed to `waitUntil`.
  const end = options.waitUntil && deferred(options.waitUntil)
  try {
    return await runOrWait(work)
  } finally {
    end?.()
  }
}
