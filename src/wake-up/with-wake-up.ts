import type { AcquireResult, ThrottleResult, WindowResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import type { Lock } from '../lock/lock.ts'
import type { LockNode } from '../nodes/node.ts'
import { restServers } from '../nodes/rest-node.ts'
import type { AcquireCallOptions, ThrottleOptions } from '../options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import { Redlock } from '../redlock.ts'
import { assertOption } from '../util/validate.ts'
import { affordsMessages, wakingCall } from './waking-call.ts'
import { wakingNode } from './waking-node.ts'

type Key = string | readonly string[]

/** A `Redlock` whose releases wake waiters, and whose waiters can be woken. */
class WakingRedlock extends Redlock {
  readonly #inner: Redlock
  /** The first node that can stream, as it is without wake-up. */
  readonly #streamNode: LockNode | undefined

  constructor(inner: Redlock, client: Client, streamNode: LockNode | undefined) {
    super(inner.withClient(client))
    this.#inner = inner
    this.#streamNode = streamNode
  }

  override withClient(client: Client): Redlock {
    return new WakingRedlock(this.#inner, client, this.#streamNode)
  }

  override async acquireOrReenter(
    key: Key,
    options: AcquireCallOptions,
    held: readonly Lock[] = [],
  ): Promise<AcquireResult> {
    const client = this.client()
    const [only, ...others] = checkKeys(key)
    const canWait = options.wait !== 0 && options.limit === undefined && others.length === 0
    if (!canWait || !this.#streamNode || !affordsMessages(client)) {
      return this.#inner.withClient(client).acquireOrReenter(key, options, held)
    }
    const call = wakingCall(client, this.#streamNode, only!, options)
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
 * A call that has been refused and waits opens a stream of server-sent events to the first REST node, and
 * joins a queue there. A release wakes the first of the queue. Where no server streams, or a stream is silent
 * or ends, a call waits as without it. A lock that nobody waits for costs no request and no command more.
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
  const streamNode = client.nodes.find((node) => restServers.has(node))
  return new WakingRedlock(redlock, { ...client, nodes }, streamNode)
}
