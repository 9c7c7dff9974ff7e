import type { Client } from '../../core/process/client.ts'
import { Budget } from '../../core/process/budget.ts'
import { notifyHead, type WaitQueues } from '../../core/process/wait-queue.ts'
import type { LockNode } from '../../protocol/node.ts'
import type { AcquireCallOptions, WaitUntil } from '../../core/options/call-options.ts'
import { locks, ownerKeys } from '../../protocol/keys.ts'
import { calmAfter, maxVainPause, maxWakingPause, wakingSpread } from '../../core/retry/times.ts'
import { type RetryFunction, retryFunction, usualAttempts } from '../../core/retry/retry.ts'
import { listen, type Listener } from './listener.ts'
import type { Clock } from '../../util/clock.ts'

/** Limits the useless wake-ups of a call. */
type WakeLimit = {
  /** Wakes the call: immediately, or later if too many wake-ups were useless. */
  readonly wake: () => void
  /** Sets the pause that delays useless wake-ups, in ms. */
  readonly setPause: (pause: number) => void
  /** Notes that the lock was acquired, so the wake-up was useful. */
  readonly reset: () => void
  /** Cancels a delayed wake-up. */
  readonly stop: () => void
}

/** The maximum number of wake-ups in quick succession. */
const maxQuick = 5

/**
 * The node that sends the messages may lack a lock that a majority has granted, for example after a restart. Then each
 * try fails, and its rollback on that node causes the next wake-up. So after a few quick wake-ups, each further one
 * comes at least one pause after the previous one. `setPause` sets the pause.
 */
const wakeLimit = (clock: Clock, onWake: () => void): WakeLimit => {
  let pause = 0
  let count = 0
  let lastAt = -Infinity
  let cancel: (() => void) | undefined

  const fire = (): void => {
    cancel = undefined
    const now = clock.monotonic()
    count = now - lastAt > calmAfter ? 1 : count + 1
    lastAt = now
    onWake()
  }
  return {
    wake: () => {
      if (cancel) return
      const dueIn = lastAt + pause - clock.monotonic()
      if (count < maxQuick || dueIn <= 0) fire()
      else cancel = clock.setTimer(fire, dueIn)
    },
    setPause: (ms) => void (pause = ms),
    reset: () => void (count = 0),
    stop: () => cancel?.(),
  }
}

/** The requests of a `budget` that are reserved for messages: for the stream, the joins and leaving the queue. */
const reserved = 6

/** Whether the budget of a call covers messages in addition to the first round. */
export const affordsMessages = ({ budget, nodes, requests }: Client): boolean =>
  (requests?.left ?? budget) - reserved >= 2 * nodes.length

/** A listener that all calls of one client for the same key share. */
type SharedListener = {
  readonly listener: Listener
  readonly limit: WakeLimit
  users: number
  /** Cancels the timer that wakes a call if the stream fails to open in time. */
  cancelTimer?: (() => void) | undefined
}

/** The listeners that the calls of one client share, by the Redis key of the lock. */
export type SharedListeners = Map<string, SharedListener>

/** Starts a listener for a key. A message wakes the first call in this process's queue. */
const startListening = (
  client: Client,
  node: LockNode,
  key: string,
  lockKey: string,
  waitUntil: WaitUntil | undefined,
): SharedListener => {
  const limit = wakeLimit(client.clock, () => notifyHead(client, [key]))
  const listener = listen({
    client,
    node,
    lockKey,
    onWake: limit.wake,
    waitUntil,
    maxRequests: client.budget < Infinity ? reserved : Infinity,
  })
  return { listener, limit, users: 0 }
}

const stopListening = ({ listener, limit, cancelTimer }: SharedListener): void => {
  cancelTimer?.()
  limit.stop()
  listener.stop()
}

/** A waiting call that messages can wake. */
export type WakingCall = {
  readonly client: Client
  readonly options: AcquireCallOptions
  /** Stops listening for messages. */
  readonly stop: (hasAcquired: boolean) => void
}

/** Lets messages end the pauses of one call. */
export const wakingCall = (
  given: Client,
  streamNode: LockNode,
  listeners: SharedListeners,
  key: string,
  options: AcquireCallOptions,
): WakingCall => {
  const { wait = Infinity, retry = given.retry, waitUntil } = options
  // On Workers, one request must not wait for another, so each call has a separate queue.
  const queues: WaitQueues = given.localQueue ? given.queues : new Map()
  const shared = given.localQueue ? listeners : new Map<string, SharedListener>()
  const requests = given.requests ?? new Budget(given.budget)
  const client = { ...given, queues, localQueue: true, requests }
  const lockKey = ownerKeys(client, locks, [key])[0]!
  let own: SharedListener | undefined
  let isFirstPause = true

  const join = (): SharedListener => {
    const joined =
      shared.get(lockKey) ?? startListening(client, streamNode, key, lockKey, waitUntil)
    shared.set(lockKey, joined)
    joined.users++
    return joined
  }
  const stop = (hasAcquired: boolean): void => {
    if (hasAcquired) own?.limit.reset()
    if (!own || --own.users > 0) return
    stopListening(own)
    shared.delete(lockKey)
  }
  /** Wakes the call after its usual pause, unless the stream works by then. */
  const wakeAfter = (waiting: SharedListener, delay: number): void => {
    waiting.cancelTimer ??= client.clock.setTimer(() => {
      waiting.cancelTimer = undefined
      if (!waiting.listener.isLive()) notifyHead(client, [key])
    }, delay)
  }
  const usual = retryFunction(retry, client.random, usualAttempts(wait))
  const patient: RetryFunction = (state) => {
    const delay = usual(state)
    if (delay === false) return false
    if (!own) {
      // Other calls of the request may have used up the budget in the meantime.
      if (!affordsMessages(client)) return delay
      requests.take(reserved)
      own = join()
    }
    const { listener, limit } = own
    limit.setPause(Math.min(delay, maxVainPause))
    listener.join()
    const isLive = listener.isLive()
    const mayOpen = isFirstPause && listener.isOpening()
    isFirstPause = false
    if (!isLive && !mayOpen) return delay
    if (!isLive) wakeAfter(own, delay)
    const pause = Math.min(maxWakingPause, state.retryAfter + client.random() * wakingSpread)
    return Math.max(delay, pause)
  }
  return { client, options: { ...options, retry: patient }, stop }
}
