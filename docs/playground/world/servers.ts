import { locks, ownerKeys, runKey } from '../../../src/protocol/keys.ts'
import { memoryNode, type MemoryNode } from '../../../src/testing/index.ts'
import type { NodeFault } from './actions.ts'
import type { Health, NodeState } from './recording.ts'
import { ownerOf } from './secrets.ts'
import { nodeCount } from './settings.ts'

/** The key that the clients lock. */
export const lockedKey = 'order:42'

const prefix = 'lock:'
const [ownerName] = ownerKeys({ prefix }, locks, [lockedKey])
const fenceName = prefix + locks[1] + lockedKey

/** A server in memory, with its faults. */
export type Server = {
  readonly node: MemoryNode
  /** Its present content. */
  readonly state: () => Omit<NodeState, 'at' | 'node'>
  readonly suffer: (fault: NodeFault) => void
}

/** The library sorts the nodes by name: the first one decides who leads a split vote. */
export const nameOf = (index: number): string => `node ${index + 1}`

const startServer = (index: number, now: () => number): Server => {
  // A restart loses all data, so the nodes are volatile: they abstain after it.
  const node = memoryNode({ name: nameOf(index), now, volatile: true })
  let health: Health = 'well'
  return {
    node,
    state: () => {
      const owner = node.entries.get(ownerName!)
      const fence = node.entries.get(fenceName)?.value
      const [, abstainsUntil] = (node.entries.get(prefix + runKey)?.value ?? '').split(' ')
      return {
        health,
        holder: owner && owner.expiresAt >= now() ? ownerOf(owner.value).client : undefined,
        expiresAt: owner?.expiresAt ?? 0,
        fence: fence === undefined ? undefined : Number(fence.split(' ')[0]),
        abstainsUntil: Number(abstainsUntil ?? 0),
      }
    },
    suffer: (fault) => {
      if (fault === 'hang') node.hang()
      else if (fault === 'kill') node.fail()
      else node.recover()
      if (fault === 'restart') node.restart()
      health = fault === 'hang' ? 'hangs' : fault === 'kill' ? 'down' : 'well'
    },
  }
}

/** Five servers on one clock. */
export const startServers = (now: () => number): readonly Server[] =>
  Array.from({ length: nodeCount }, (_, index) => startServer(index, now))
