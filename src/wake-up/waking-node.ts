import type { LockNode } from '../nodes/node.ts'
import { queueKey } from '../protocol/keys.ts'
import { withKeyLocking } from '../protocol/script.ts'
import { wakingReleaseScript } from '../protocol/waking-release-script.ts'

// The keys of a release for one lock key: it, its fence, and the tombstone.
const ownKeys = 3

// The arguments of every call. An identity and a quarantine come with a key each.
const ownArgs = 5

/** Whether a call releases one lock key that has a fence, as the keys of locks have. */
const isRelease = (keys: readonly string[], args: readonly string[]): boolean => {
  const serverKeys = Math.min(2, args.length - ownArgs)
  return args[0] === 'r' && keys.length - serverKeys === ownKeys && Number(args[3]) > 0
}

/** A node whose releases wake a waiter, if there is one. */
export const wakingNode = (node: LockNode, prefix: string): LockNode => ({
  ...node,
  eval: (script, keys, args, ...rest) => {
    if (!isRelease(keys, args)) return node.eval(script, keys, args, ...rest)
    const waking = node.keyLocking ? withKeyLocking(wakingReleaseScript) : wakingReleaseScript
    return node.eval(waking, [queueKey(prefix, keys[0]!), ...keys], args, ...rest)
  },
})
