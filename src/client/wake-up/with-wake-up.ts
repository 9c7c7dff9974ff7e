import type { Interceptor } from '../../core/lock/acquire.ts'
import type { LockNode } from '../../protocol/node.ts'
import { checkKeys, queueKey } from '../../protocol/keys.ts'
import { clientOf, type Redlock } from '../redlock.ts'
import { affordsMessages, type SharedListeners, wakingCall } from './waking-call.ts'
import { wakingReleaseLua, withLua } from '../../redis/commands.ts'

/** Wraps a node so that each release wakes a waiter, if there is one. */
const wakingNode = (node: LockNode, prefix: string): LockNode => ({
  ...node,
  run: (command, options) => {
    // Only a lock on a single key has waiters. A throttle, which has no fence, has none.
    const isOne = command.op === 'release' && command.fences.length === 1
    if (!isOne) return node.run(command, options)
    const wakes = queueKey(prefix, command.keys[0]!)
    return node.run(withLua(wakingReleaseLua, { ...command, wakes }), options)
  },
})

/** The interceptor that lets messages from this node end the pauses of calls. */
const wakeOver =
  (streamNode: LockNode, listeners: SharedListeners): Interceptor =>
  async (call, next) => {
    const { client, acquisition, key, operation, options } = call
    const [only, ...others] = checkKeys(key)
    // Calls that wait for a slot or for the response to a request do not join a queue on a node.
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
 * A `Redlock` whose waiting calls receive a message when the lock is released, instead of polling. Use the result in
 * place of `redlock`, including for `lock()`, in every process that shares the lock.
 *
 * A rejected call that waits opens a stream of server-sent events from the first node that supports streams, and joins
 * a queue there. A release wakes the first waiter in the queue. If no server supports streams, or the stream is silent
 * or closes, the call falls back to polling. A lock without waiters costs no additional requests, and only one
 * additional command per node when it is released.
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
  // The original node, because only releases need the wrapper.
  const streamNode = client.nodes.find(({ subscribe }) => subscribe)
  const own = streamNode ? [wakeOver(streamNode, new Map())] : []
  const interceptors = [...client.interceptors, ...own]
  return redlock.withClient({ ...client, nodes, interceptors }) as Given
}
