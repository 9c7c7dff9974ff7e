import { isStaleTokenError } from '../../../src/entries/guards.ts'
import { isLockLostError, type Lock } from '../../../src/index.ts'
import type { Step } from '../../history/records.ts'
import { type KeyKind, retry, ttl, wait } from '../campaign/settings.ts'
import type { Counter, Store } from './counter.ts'
import { describeError } from './describe-error.ts'
import type { Redlocks } from './redlocks.ts'
import { stepOf } from './step-of.ts'
import { sleep } from '../../../tools/faults.ts'

// One operation of a client, on any runtime: acquires the lock, reads the counter, pauses, writes the next value, and
// releases the lock. Reports each step in advance, and each result once it is known.

/** The parameters of an operation, which are drawn in advance. */
export type Plan = {
  readonly op: string
  readonly key: string
  readonly kind: Exclude<KeyKind, 'burst'>
  /** The number of slots of the key. */
  readonly limit?: number
  /** The time between the read and the write, or for which a slot is held, in ms. */
  readonly pause: number
  readonly extends: boolean
}

export type Tools = {
  readonly redlocks: Redlocks
  readonly store: Store
  readonly say: (step: Step) => void
  /** Returns a time in the future, `ms` from now, on the clock of the history. */
  readonly after: (ms: () => number) => number
  readonly waitUntil?: (work: Promise<unknown>) => void
}

const incrementCounter = async (
  plan: Plan,
  lock: Lock,
  { store, say, after }: Tools,
): Promise<void> => {
  say({ type: 'token asked' })
  const token = await lock.fencingToken()
  say({ type: 'token', token })
  const isGuarded = plan.kind === 'guarded'
  const counter: Counter = isGuarded ? store.guarded(plan.key, token) : store.plain(plan.key)
  const last = await counter.read()
  const n = (last?.n ?? 0) + 1
  say({ type: 'read', n: n - 1, by: last?.op ?? null })
  // With a guard, a client need not check whether it still holds the lock.
  await sleep(plan.pause, isGuarded ? undefined : lock.signal)
  if (plan.extends) {
    await lock.extend()
    say({ type: 'extended', validUntil: after(() => lock.expiresIn) })
  }
  if (!isGuarded && (lock.signal.aborted || !lock.held)) {
    say({ type: 'skipped' })
    return
  }
  say({ type: 'writing', n })
  await counter.write({ n, op: plan.op, previous: last?.op ?? null, token })
  say({ type: 'written' })
}

const keepSlot = async (plan: Plan, lock: Lock, { say, after }: Tools): Promise<void> => {
  await sleep(plan.pause, lock.signal)
  if (!plan.extends) return
  await lock.extend()
  say({ type: 'extended', validUntil: after(() => lock.expiresIn) })
  await sleep(plan.pause, lock.signal)
}

/** Runs an operation. Never rejects; errors are reported as steps. */
export const operate = async (plan: Plan, tools: Tools): Promise<void> => {
  const { redlocks, say, after, waitUntil } = tools
  const { key, kind, limit } = plan
  let lock: Lock
  say({ type: 'called', kind, keys: [key] })
  try {
    lock = await redlocks.usual.acquire(key, { ttl, wait, retry, limit, waitUntil })
  } catch (error) {
    say(stepOf(error, redlocks))
    return
  }
  say({ type: 'acquired', validUntil: after(() => lock.expiresIn), keys: lock.keys })
  try {
    if (kind === 'slots') await keepSlot(plan, lock, tools)
    else if (kind !== 'private') await incrementCounter(plan, lock, tools)
  } catch (error) {
    if (isStaleTokenError(error)) say({ type: 'stale' })
    else if (isLockLostError(error)) say({ type: 'lost' })
    else say({ type: 'failed', reason: describeError(error) })
  }
  say({ type: 'releasing' })
  say({ type: 'released', result: await lock.release() })
}
