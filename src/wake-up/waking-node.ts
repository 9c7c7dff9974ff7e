import type { LockNode } from '../nodes/node.ts'
import { queueKey } from '../protocol/keys.ts'
import {
  keyLockingWakingReleaseScript,
  wakingReleaseScript,
} from '../protocol/waking-release-script.ts'
import type { ScriptCall } from '../protocol/script.ts'

// The keys of a release for one lock key: it, its fence, and the tombstone.
const ownKeys = 3

// The arguments of every call. An identity and a quarantine come with a key each.
const ownArgs = 5

/** Whether a call releases one lock key that has a fence, as the keys of locks have. */
const isRelease = ({ keys, args }: ScriptCall): boolean => {
  const serverKeys = Math.min(2, args.length - ownArgs)
  return args[0] === 'r' && keys.length - serverKeys === ownKeys && Number(args[3]) > 0
}

/** A node whose releases wake a waiter, if there is one. */
export const wakingNode = (node: LockNode, prefix: string): LockNode => ({
  ...node,
  run: (call, signal) => {
    if (!isRelease(call)) return node.run(call, signal)
    const script = node.keyLocking ? keyLockingWakingReleaseScript : wakingReleaseScript
    return node.run(
      { ...call, script, keys: [queueKey(prefix, call.keys[0]!), ...call.keys] },
      signal,
    )
  },
})
