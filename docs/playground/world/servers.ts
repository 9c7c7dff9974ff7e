import { locks, ownerKeys, runKey } from '../../../src/protocol/keys.ts'
import { records } from '../../../src/records/record-lease.ts'
import { memoryNode, type MemoryNode } from '../../../src/testing/index.ts'
import type { NodeFault } from './actions.ts'
import type { Health, NodeState } from './recording.ts'
import { answerOf, ownerOf } from './secrets.ts'
import { nodeCount, type Settings } from './settings.ts'

/** The key that the clients lock, or the name of their request. */
export const lockedKey = 'order:42'

const prefix = 'lock:'
const namespaces = { lock: locks, request: records }

/** Whether the value of a key, or a holder as a node tells it, is the record of an answer. */
export const isRecordText = (text: string): boolean => text.split(' ')[1] === 'd'

/** A server in memory, with its faults. */
export type Server = {
  readonly node: MemoryNode
  /** Its present content. */
  readonly state: () => Omit<NodeState, 'at' | 'node'>
  readonly suffer: (fault: NodeFault) => void
}

/** The library sorts the nodes by name: the first one decides who leads a split vote. */
export const nameOf = (index: number): string => `node ${index + 1}`

const startServer = (index: number, now: () => number, kind: Settings['kind']): Server => {
  // A restart loses all data, so the nodes are volatile: they abstain after it.
  const node = memoryNode({ name: nameOf(index), now, volatile: true })
  const namespace = namespaces[kind]
  const [ownerName] = ownerKeys({ prefix }, namespace, [lockedKey])
  const fenceName = prefix + namespace[1] + lockedKey
  let health: Health = 'well'
  return {
    node,
    state: () => {
      const owner = node.entries.get(ownerName!)
      const fence = node.entries.get(fenceName)?.value
      const [, abstainsUntil] = (node.entries.get(prefix + runKey)?.value ?? '').split(' ')
      const client = owner && owner.expiresAt >= now() ? ownerOf(owner.value).client : undefined
      const isRecord = owner !== undefined && isRecordText(owner.value)
      return {
        health,
        holder: isRecord ? undefined : client,
        answer: isRecord && client !== undefined ? answerOf(owner.value) : undefined,
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
export const startServers = (now: () => number, kind: Settings['kind']): readonly Server[] =>
  Array.from({ length: nodeCount }, (_, index) => startServer(index, now, kind))
