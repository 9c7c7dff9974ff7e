import type { Client } from '../local/client.ts'
import { newBudget } from '../local/budget.ts'
import { notifyHead, type WaitQueues } from '../local/wait-queue.ts'
import type { LockNode } from '../nodes/node.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { locks, ownerKeys } from '../protocol/keys.ts'
import { type RetryFunction, retryFunction, usualAttempts } from '../retry/retry.ts'
import { listen, type Listener } from './listener.ts'
import type { Clock } from '../util/clock.ts'

/** Limits how often messages wake a call in vain. */
type WakeLimit = {
  /** Wakes the call: at once, or later if that has been in vain too often. */
  readonly wake: () => void
  /** Sets the pause of a call without messages, in ms. */
  readonly setPause: (pause: number) => void
  /** The lock was acquired, so the messages were right. */
  readonly reset: () => void
  /** Cancels a wake-up that is due later. */
  readonly stop: () => void
}

/** The number of wake-ups in quick succession. */
const maxQuick = 5

/** Ms without a wake-up after which the next ones are quick again. */
const calm = 1_000

/**
 * The node that sends the messages may know of no lock where a majority of the others has granted it, for
 * instance after a restart. Then each try is in vain, and its roll-back wakes the next one. So after a few
 * of them, each wake-up is delayed by the pause that was set.
 */
const wakeLimit = (clock: Clock, onWake: () => void): WakeLimit => {
  let pause = 0
  let count = 0
  let lastAt = -Infinity
  let cancel: (() => void) | undefined

  const fire = (): void => {
    cancel = undefined
    const now = clock.monotonic()
    count = now - lastAt > calm ? 1 : count + 1
    lastAt = now
    onWake()
  }
  return {
    wake: () => {
      if (cancel) return
      const left = lastAt + pause - clock.monotonic()
      if (count < maxQuick || left <= 0) fire()
      else cancel = clock.setTimer(fire, left)
    },
    setPause: (ms) => void (pause = ms),
    reset: () => void (count = 0),
    stop: () => cancel?.(),
  }
}

/**
 * The maximum time in ms between two tries of a call whose stream works. It bounds what a lost message
 * costs.
 */
const maxPause = 2_000

/**
 * The maximum time in ms between two wake-ups where several have been in vain. A woken call is no longer in
 * the queue, so nothing wakes it in that time although the lock may be free.
 */
const maxVainPause = 250

/** Ms at random, so that waiters do not all come at the moment at which a lock expires. */
const spread = 50

/** The requests of a `budget` that are kept for messages: for the stream, for joining, and to leave. */
const reserved = 6

/** Whether the budget of a call allows messages beside the first round. */
export const affordsMessages = ({ budget, nodes, requests }: Client): boolean =>
  (requests?.left ?? budget) - reserved >= 2 * nodes.length

/** A listener of one client, which all its calls for a key share. */
type Shared = {
  readonly listener: Listener
  readonly limit: WakeLimit
  users: number
  /** Cancels the timer that wakes a call whose stream does not open in time. */
  cancelTimer?: (() => void) | undefined
}
const listeners = new WeakMap<WaitQueues, Map<string, Shared>>()

/** A call that messages wake while it waits. */
export type WakingCall = {
  readonly client: Client
  readonly options: AcquireCallOptions
  /** Ends the wait for messages. */
  readonly stop: (hasAcquired: boolean) => void
}

/** Adds wake-up to the waits of one call. */
export const wakingCall = (
  client: Client,
  streamNode: LockNode,
  key: string,
  options: AcquireCallOptions,
): WakingCall => {
  const { wait = Infinity, retry = client.retry, waitUntil } = options
  // On Workers one request must not wait for another, so each call has a queue of its own.
  const queues: WaitQueues = client.localQueue ? client.queues : new Map()
  const shared = listeners.get(queues) ?? new Map<string, Shared>()
  listeners.set(queues, shared)
  let own: Shared | undefined
  let isFirstPause = true

  const start = (): Shared => {
    let started = shared.get(key)
    if (!started) {
      const [lockKey] = ownerKeys(client, locks, [key])
      const limit = wakeLimit(client.clock, () => notifyHead(queues, [key]))
      const listener = listen({
        client,
        node: streamNode,
        lockKey: lockKey!,
        onWake: limit.wake,
        waitUntil,
        maxRequests: client.budget < Infinity ? reserved : Infinity,
      })
      shared.set(key, (started = { listener, limit, users: 0 }))
    }
    started.users++
    return started
  }
  const stop = (hasAcquired: boolean): void => {
    if (hasAcquired) own?.limit.reset()
    if (!own || --own.users > 0) return
    own.cancelTimer?.()
    own.limit.stop()
    own.listener.stop()
    shared.delete(key)
  }
  /** Wakes the call after its usual pause, unless the stream works by then. */
  const wakeAfter = (waiting: Shared, delay: number): void => {
    waiting.cancelTimer ??= client.clock.setTimer(() => {
      waiting.cancelTimer = undefined
      if (!waiting.listener.isLive()) notifyHead(queues, [key])
    }, delay)
  }
  const requests = client.requests ?? newBudget(client.budget)
  const changed = { ...client, queues, localQueue: true, requests }
  const usual = retryFunction(retry, client.random, usualAttempts(wait))
  const patient: RetryFunction = (state) => {
    const delay = usual(state)
    if (delay === false) return false
    if (!own) {
      // Other calls of the request may have spent them meanwhile.
      if (!affordsMessages(changed)) return delay
      requests.left -= reserved
      own = start()
    }
    const { listener, limit } = own
    limit.setPause(Math.min(delay, maxVainPause))
    listener.join()
    const isLive = listener.isLive()
    const mayOpen = isFirstPause && listener.isOpening()
    isFirstPause = false
    if (!isLive && !mayOpen) return delay
    if (!isLive) wakeAfter(own, delay)
    const pause = Math.min(maxPause, state.retryAfter + client.random() * spread)
    return Math.max(delay, pause)
  }
  return { client: changed, options: { ...options, retry: patient }, stop }
}
