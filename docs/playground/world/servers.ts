import { locks, ownerKeys, runKey } from '../../../src/protocol/keys.ts'
import { records } from '../../../src/records/record-lease.ts'
import { slotKey } from '../../../src/slots/slot-contest.ts'
import { memoryNode, type MemoryNode } from '../../../src/testing/index.ts'
import { type Gate, nodeGate } from '../../../src/testing/node-controls.ts'
import type { NodeFault } from './actions.ts'
import type { Health, NodeState, SlotState } from './recording.ts'
import { answerOf, ownerOf } from './secrets.ts'
import { nodeCount, type Settings, slotsOf } from './settings.ts'
import { makeWaiters, type Waiters } from './waiters.ts'

/** The key that the clients lock, or the name of their request. */
export const lockedKey = 'report:42'

const prefix = 'lock:'
const namespaces = { lock: locks, request: records }

/** Whether the value of a key, or a holder as a node tells it, is the record of an answer. */
export const isRecordText = (text: string): boolean => text.split(' ')[1] === 'd'

/** A server in memory, with its faults. */
export type Server = {
  readonly node: MemoryNode
  /** Stands before its streams and its queue, as before the node. */
  readonly gate: Gate
  readonly waiters: Waiters
  /** Its present content. */
  readonly state: () => Omit<NodeState, 'at' | 'node'>
  readonly suffer: (fault: NodeFault) => void
}

/** The library sorts the nodes by name: the first one decides who leads a split vote. */
export const nameOf = (index: number): string => `node ${index + 1}`

/** The keys of each slot, or of the lock or claim itself. */
const keysOf = (settings: Settings): { owner: string; fence: string }[] => {
  const namespace = namespaces[settings.kind]
  const count = slotsOf(settings)
  return Array.from({ length: count }, (_, index) => {
    const key = count > 1 ? slotKey(lockedKey, index + 1) : lockedKey
    const [owner] = ownerKeys({ prefix }, namespace, [key])
    return { owner: owner!, fence: prefix + namespace.fence! + key }
  })
}

const startServer = (index: number, now: () => number, settings: Settings): Server => {
  // A restart loses all data, so the nodes are volatile: they abstain after it.
  const node = memoryNode({ name: nameOf(index), now, volatile: true })
  const keys = keysOf(settings)
  const gate = nodeGate({ wall: now, monotonic: now, setTimer: () => () => {} })
  const waiters = makeWaiters()
  let health: Health = 'well'
  const valueOf = (key: string): string | undefined => node.entries.get(key)?.value

  const slotState = ({ owner, fence }: { owner: string; fence: string }): SlotState => {
    const entry = node.entries.get(owner)
    const isHeld = entry && entry.expiresAt >= now() && !isRecordText(entry.value)
    return {
      holder: isHeld ? ownerOf(entry.value).client : undefined,
      expiresAt: entry?.expiresAt ?? 0,
      fence: valueOf(fence) === undefined ? undefined : Number(valueOf(fence)!.split(' ')[0]),
    }
  }
  return {
    node,
    gate,
    waiters,
    state: () => {
      const owner = valueOf(keys[0]!.owner)
      const [, abstainsUntil] = (valueOf(prefix + runKey) ?? '').split(' ')
      return {
        health,
        slots: keys.map(slotState),
        answer: owner !== undefined && isRecordText(owner) ? answerOf(owner) : undefined,
        queue: waiters.queue(),
        abstainsUntil: Number(abstainsUntil ?? 0),
      }
    },
    suffer: (fault) => {
      for (const one of [node, gate]) {
        if (fault === 'hang') one.hang()
        else if (fault === 'kill') one.fail()
        else one.recover()
      }
      if (fault === 'kill' || fault === 'restart') waiters.endStreams()
      if (fault === 'restart') {
        node.restart()
        waiters.forget()
      }
      health = fault === 'hang' ? 'hangs' : fault === 'kill' ? 'down' : 'well'
    },
  }
}

/** Five servers on one clock. */
export const startServers = (now: () => number, settings: Settings): readonly Server[] =>
  Array.from({ length: nodeCount }, (_, index) => startServer(index, now, settings))
