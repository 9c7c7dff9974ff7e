import type { Queue as QueueCommand, Release } from '../protocol/command.ts'
import type { Reply } from '../protocol/reply.ts'
import { get, type MemoryServer, set } from './memory-server.ts'
import { runLock } from './run-lock.ts'

// wait.lua and waking-release.lua in TypeScript. The comments there explain why.

/** The waiters of a queue, in order. Each has the time when its call began, and an ID. */
type WaiterList = readonly (readonly [time: number, id: string])[]

const maxDead = 32

const readQueue = (server: MemoryServer, queue: string): WaiterList => {
  try {
    return JSON.parse(get(server, queue) ?? '[]') as WaiterList
  } catch {
    // The error code is the same as in Redis. The message does not quote the text.
    throw new Error('WRONGTYPE: the key of the queue holds something else')
  }
}

const publish = (server: MemoryServer, queue: string, id: string, message: string): number =>
  server.publish?.(`${queue}:${id}`, message) ?? 0

const before = (a: WaiterList[0] & object, b: WaiterList[0] & object): number =>
  a[0] - b[0] || (a[1] < b[1] ? -1 : 1)

/** Writes a changed queue, whose TTL becomes `life` ms. If `life` is missing, the expiry stays the same. */
const writeQueue = (server: MemoryServer, name: string, queue: WaiterList, life?: number): void => {
  const expiresAt = server.entries.get(name)?.expiresAt
  server.entries.delete(name)
  if (queue.length > 0) set(server, name, JSON.stringify(queue), life ?? expiresAt! - server.now())
}

/** Joins or leaves a queue. */
export const runQueue = (server: MemoryServer, command: QueueCommand): Reply => {
  const { op, queue: name, key, waiter, since, life } = command
  const queue = readQueue(server, name)
  if (op === 'leave') {
    const others = queue.filter(([, other]) => other !== waiter)
    if (others.length < queue.length) writeQueue(server, name, others)
  } else {
    const isThere = queue.some(([, other]) => other === waiter)
    const all = isThere ? queue : [...queue, [since, waiter] as const].sort(before)
    writeQueue(server, name, all, life)
    publish(server, name, waiter, 'hello')
  }
  return { status: 'queued', isFree: get(server, key) === undefined }
}

/** Releases a lock, and wakes a waiter if the lock has a queue. */
export const runReleaseAndWake = (server: MemoryServer, command: Release): Reply => {
  const reply = runLock(server, command)
  const { wakes: name } = command
  if (name === undefined) return reply
  // Like the script, this does not report an earlier forced release.
  if (reply.status === 'absent') return { ...reply, wasForced: undefined }
  if (reply.status !== 'released') return reply
  for (let turn = 0; turn < maxDead; turn++) {
    const [first, ...others] = readQueue(server, name)
    if (!first) break
    writeQueue(server, name, others)
    if (publish(server, name, first[1], 'wake') > 0) break
  }
  return reply
}
