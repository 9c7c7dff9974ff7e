import type { AcquireResult, ThrottleResult, WindowResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import { notifyHead, type WaitQueues } from '../local/wait-queue.ts'
import type { Lock } from '../lock/lock.ts'
import { restServers } from '../nodes/rest-node.ts'
import type { AcquireCallOptions, ThrottleOptions } from '../options/call-options.ts'
import { checkKeys, locks, ownerKeys } from '../protocol/keys.ts'
import { Redlock } from '../redlock.ts'
import { type RetryFunction, retryFunction } from '../retry/retry.ts'
import { assertOption } from '../util/validate.ts'
import { listen, type Listener } from './listener.ts'
import { type WakeLimit, wakeLimit } from './wake-limit.ts'
import { wakingNode } from './waking-node.ts'

type Key = string | readonly string[]

/**
 * The maximum time in ms between two tries of a call whose stream works. It bounds what a lost message
 * costs.
 */
const maxPause = 2_000

/** Ms at random, so that waiters do not all come at the moment at which a lock expires. */
const spread = 50

// Attempts where neither `wait` nor the options set a limit, as without wake-up.
const defaultAttempts = 10

// The requests that a wait for messages may take: the stream, and joining and leaving the queue.
const reserve = 6

/** A listener of one client, which all its calls for a key share. */
type Shared = {
  readonly listener: Listener
  readonly limit: WakeLimit
  users: number
  /** Cancels the timer that wakes a call whose stream does not open in time. */
  cancelTimer?: (() => void) | undefined
}
const listeners = new WeakMap<WaitQueues, Map<string, Shared>>()

/** Adds this package's wake-up to the waits of a call. */
const wakingCall = (
  client: Client,
  listened: Client['nodes'][number],
  key: string,
  options: AcquireCallOptions,
) => {
  const { wait = Infinity, retry = client.retry, waitUntil } = options
  // On Workers one request must not wait for another, so each call has a queue of its own.
  const queues: WaitQueues = client.singleFlight ? client.queues : new Map()
  const shared = listeners.get(queues) ?? new Map<string, Shared>()
  listeners.set(queues, shared)
  let own: Shared | undefined

  const start = (): Shared => {
    let started = shared.get(key)
    if (!started) {
      const [lockKey] = ownerKeys(client, locks, [key])
      const limit = wakeLimit(client.clock, () => notifyHead(queues, [key]))
      const target = { node: listened, lockKey: lockKey!, onWake: limit.wake }
      const listener = listen({ client, ...target, waitUntil })
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
  const usual = retryFunction(retry, client.random, wait < Infinity ? Infinity : defaultAttempts)
  const patient: RetryFunction = (attempt, refusal) => {
    const delay = usual(attempt, refusal)
    if (delay === false) return false
    own ??= start()
    const { listener, limit } = own
    limit.setPause(Math.min(delay, maxPause))
    listener.join()
    const isLive = listener.isLive()
    if (!isLive && !listener.isOpening()) return delay
    if (!isLive) wakeAfter(own, delay)
    const pause = Math.min(maxPause, refusal.retryAfter + client.random() * spread)
    return Math.max(delay, pause)
  }
  const budget = client.budget - reserve
  const changed = { ...client, queues, singleFlight: true, budget }
  return { client: changed, options: { ...options, retry: patient }, stop }
}

/** A `Redlock` whose releases wake waiters, and whose waiters can be woken. */
class WakingRedlock extends Redlock {
  readonly #inner: Redlock
  /** The first node that can stream, as it is without wake-up. */
  readonly #listened: Client['nodes'][number] | undefined

  constructor(inner: Redlock, client: Client, listened: Client['nodes'][number] | undefined) {
    super(client)
    this.#inner = inner
    this.#listened = listened
  }

  override withClient(client: Client): Redlock {
    return new WakingRedlock(this.#inner, client, this.#listened)
  }

  override async acquireOrReenter(
    key: Key,
    options: AcquireCallOptions,
    held: readonly Lock[] = [],
  ): Promise<AcquireResult> {
    const client = this.client()
    const [only, ...others] = checkKeys(key)
    const canWait = options.wait !== 0 && options.limit === undefined && others.length === 0
    const isAffordable = client.budget - reserve >= 2 * client.nodes.length
    if (!canWait || !this.#listened || !isAffordable) {
      return this.#inner.withClient(client).acquireOrReenter(key, options, held)
    }
    const call = wakingCall(client, this.#listened, only!, options)
    let hasAcquired = false
    try {
      const redlock = this.#inner.withClient(call.client)
      const result = await redlock.acquireOrReenter(key, call.options, held)
      hasAcquired = result.ok
      return result
    } finally {
      call.stop(hasAcquired)
    }
  }

  override throttle(key: Key, options: ThrottleOptions): Promise<ThrottleResult> {
    return this.#inner.withClient(this.client()).throttle(key, options)
  }

  override passWindow(key: Key, options: ThrottleOptions): Promise<ThrottleResult> {
    return this.#inner.withClient(this.client()).passWindow(key, options)
  }

  override acquireWindow(key: Key, options: ThrottleOptions): Promise<WindowResult> {
    return this.#inner.withClient(this.client()).acquireWindow(key, options)
  }
}

/**
 * A `Redlock` whose waiters learn of a release by a message, instead of asking again and again. Use it in
 * place of the given one, also for `lock()`, in every process that shares the lock.
 *
 * A call that has been refused and waits opens a stream of server-sent events to the first node, and joins a
 * queue there. A release wakes the first of the queue. Where no server streams, or a stream is silent or ends,
 * a call waits as without it. A lock that nobody waits for costs no request and no command more.
 *
 * @throws `TypeError` when the argument is no `Redlock`.
 * @example
 * ```ts
 * const redlock = withWakeUp(new Redlock({ nodes }))
 *
 * const lock = await redlock.acquire('report', { wait: 30_000 })
 * ```
 */
export const withWakeUp = (redlock: Redlock): Redlock => {
  assertOption(redlock instanceof Redlock, 'redlock', 'a Redlock', redlock)
  const client = redlock.client()
  const nodes = client.nodes.map((node) => wakingNode(node, client.prefix))
  const listened = client.nodes.find((node) => restServers.has(node))
  return new WakingRedlock(redlock, { ...client, nodes }, listened)
}
