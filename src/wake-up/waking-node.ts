import type { LockNode } from '../nodes/node.ts'
import { queueKey } from '../protocol/keys.ts'
import { lockScript } from '../protocol/lock-script.ts'
import type { Script } from '../protocol/script.ts'
import { wakingReleaseScript } from '../protocol/waking-release-script.ts'

// The keys of a release for one lock key: it, its fence, and the tombstone.
const ownKeys = 3

// The arguments of every call. An identity and a quarantine come with a key each.
const ownArgs = 5

/** Whether a call releases one lock key that has a fence, as the keys of locks have. */
const isRelease = ({ sha }: Script, keys: readonly string[], args: readonly string[]): boolean => {
  const serverKeys = Math.min(2, args.length - ownArgs)
  return (
    sha === lockScript.sha &&
    args[0] === 'r' &&
    keys.length - serverKeys === ownKeys &&
    Number(args[3]) > 0
  )
}

/** A node whose releases wake a waiter, if there is one. */
export const wakingNode = (node: LockNode, prefix: string): LockNode => ({
  ...node,
  eval: (script, keys, args, ...rest) => {
    if (!isRelease(script, keys, args)) return node.eval(script, keys, args, ...rest)
    return node.eval(wakingReleaseScript, [queueKey(prefix, keys[0]!), ...keys], args, ...rest)
  },
})
