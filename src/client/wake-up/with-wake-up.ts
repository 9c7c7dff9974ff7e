import type { Interceptor } from '../../core/lock/acquire.ts'
import type { LockNode } from '../../protocol/node.ts'
import { checkKeys, queueKey } from '../../protocol/keys.ts'
import { clientOf, type Redlock } from '../redlock.ts'
import { affordsMessages, type SharedListeners, wakingCall } from './waking-call.ts'
import { wakingReleaseLua, withLua } from '../../redis/commands.ts'

/** A node whose releases wake a waiter, if there is one. */
const wakingNode = (node: LockNode, prefix: string): LockNode => ({
  ...node,
  run: (command, options) => {
    // Only a lock of one key has waiters. A throttle, which has no fence, is not released.
    const isOne = command.op === 'release' && command.fences.length === 1
    if (!isOne) return node.run(command, options)
    const wakes = queueKey(prefix, command.keys[0]!)
    return node.run(withLua(wakingReleaseLua, { ...command, wakes }), options)
  },
})

/** Lets messages on a stream of this node end the waits of one call. */
const wakeOver =
  (streamNode: LockNode, listeners: SharedListeners): Interceptor =>
  async (call, next) => {
    const { client, acquisition, key, operation, options } = call
    const [only, ...others] = checkKeys(key)
    // Waiters for a slot, or for the answer to a request, are not in a queue on a node.
    const isLock = operation === 'acquire' && !acquisition && options.limit === undefined
    const canWait = isLock && options.wait !== 0 && !others.length
    if (!canWait || !affordsMessages(client)) return next(call)
    const waking = wakingCall(client, streamNode, listeners, only!, options)
    let hasAcquired = false
    try {
      const result = await next({
        ...call,
        client: { ...client, ...waking.client },
        options: waking.options,
      })
      hasAcquired = (result as { ok?: boolean }).ok === true
      return result
    } finally {
      waking.stop(hasAcquired)
    }
  }

/**
 * A `Redlock` whose waiters receive a message on a release, instead of asking repeatedly. Use it in place of the given
 * one, including for `lock()`, in every process that shares the lock.
 *
 * A rejected call that waits opens a stream of server-sent events to the first node that can stream, and joins a queue
 * there. A release wakes the first waiter in the queue. If no server can stream, or the stream is silent or ends, the
 * call waits as without it. A lock without waiters costs no additional requests or commands.
 *
 * @throws `TypeError` if the argument is not a `Redlock`.
 * @example
 * ```ts
 * const redlock = withWakeUp(new Redlock({ nodes }))
 *
 * const lock = await redlock.acquire('report', { wait: 30_000 })
 * ```
 */
export const withWakeUp = <Given extends Redlock>(redlock: Given): Given => {
  const client = clientOf(redlock)
  const nodes = client.nodes.map((node) => wakingNode(node, client.prefix))
  // The original node, without wake-up.
  const streamNode = client.nodes.find(({ subscribe }) => subscribe)
  const own = streamNode ? [wakeOver(streamNode, new Map())] : []
  const interceptors = [...client.interceptors, ...own]
  return redlock.withClient({ ...client, nodes, interceptors }) as Given
}
