import type { Interceptor } from '../acquire/acquire.ts'
import type { LockNode } from '../nodes/node.ts'
import { streamServers } from '../nodes/rest-node.ts'
import { checkKeys, queueKey } from '../protocol/keys.ts'
import { clientOf, type Redlock } from '../redlock.ts'
import { affordsMessages, wakingCall } from './waking-call.ts'
import { lockScript } from '../protocol/lock-script.ts'
import type { Script } from '../protocol/script.ts'
import { wakingReleaseScript } from '../protocol/waking-release-script.ts'

// The keys of a release for one lock key: it, its fence, the tombstone, and that of the server's identity.
const keysOfRelease = 4

/** Whether a call releases one lock key that has a fence, as the keys of locks have. */
const isRelease = ({ sha }: Script, keys: readonly string[], args: readonly string[]): boolean =>
  sha === lockScript.sha && args[0] === 'r' && keys.length === keysOfRelease && Number(args[3]) > 0

/** A node whose releases wake a waiter, if there is one. */
const wakingNode = (node: LockNode, prefix: string): LockNode => ({
  ...node,
  eval: (script, keys, args, ...rest) => {
    if (!isRelease(script, keys, args)) return node.eval(script, keys, args, ...rest)
    return node.eval(wakingReleaseScript, [queueKey(prefix, keys[0]!), ...keys], args, ...rest)
  },
})

/** Lets the waits of one call be ended by messages over a stream of this node. */
const wakeOver =
  (streamNode: LockNode): Interceptor =>
  async (call, next) => {
    const { client, contest, key, operation, options } = call
    const [only, ...others] = checkKeys(key)
    // The waiters for a slot or for the answer to a request are in no queue on a node.
    const isLock = operation === 'acquire' && !contest && options.limit === undefined
    const canWait = isLock && options.wait !== 0 && !others.length
    if (!canWait || !affordsMessages(client)) return next(call)
    const waking = wakingCall(client, streamNode, only!, options)
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
 * A `Redlock` whose waiters learn of a release by a message, instead of asking again and again. Use it in
 * place of the given one, also for `lock()`, in every process that shares the lock.
 *
 * A call that has been refused and waits opens a stream of server-sent events to the first node that can stream, and
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
export const withWakeUp = <Given extends Redlock>(redlock: Given): Given => {
  const client = clientOf(redlock)
  const nodes = client.nodes.map((node) => wakingNode(node, client.prefix))
  // As it is without wake-up.
  const streamNode = client.nodes.find((node) => streamServers.has(node))
  const own = streamNode ? [wakeOver(streamNode)] : []
  const interceptors = [...client.interceptors, ...own]
  return redlock.withClient({ ...client, nodes, interceptors }) as Given
}
