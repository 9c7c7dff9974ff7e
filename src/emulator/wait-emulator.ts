import type { Reply } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { get, type MemoryServer, set } from './memory-server.ts'
import { emulateScript } from './script-emulator.ts'

// wait.lua and waking-release.lua in TypeScript. Their comments say why.

/** The waiters of a queue, in order: when the call of each began, and its id. */
type Queue = readonly (readonly [time: number, id: string])[]

/** The reply to a waiter who joins or leaves. */
export type WaitReplyTuple = readonly [echo: string, isFree: number]

const maxDead = 32

const readQueue = (server: MemoryServer, queue: string): Queue =>
  JSON.parse(get(server, queue) ?? '[]') as Queue

const publish = (server: MemoryServer, queue: string, id: string, message: string): number =>
  server.publish?.(`${queue}:${id}`, message) ?? 0

const before = (a: Queue[0] & object, b: Queue[0] & object): number =>
  a[0] - b[0] || (a[1] < b[1] ? -1 : 1)

/** Writes a queue that has changed, which lives as long as before unless `life` says how long. */
const writeQueue = (server: MemoryServer, name: string, queue: Queue, life?: number): void => {
  const expiresAt = server.entries.get(name)?.expiresAt
  server.entries.delete(name)
  if (queue.length > 0) set(server, name, JSON.stringify(queue), life ?? expiresAt! - server.now())
}

/** Runs the script of waiting on keys in memory. */
export const emulateWait = (
  server: MemoryServer,
  { keys, args }: Pick<ScriptInput, 'keys'> & { readonly args: readonly string[] },
): WaitReplyTuple => {
  const [operation = '', id = '', time, life] = args
  const [name = '', key = ''] = keys
  const queue = readQueue(server, name)
  if (operation === 'l') {
    const others = queue.filter(([, other]) => other !== id)
    if (others.length < queue.length) writeQueue(server, name, others)
  } else {
    const isThere = queue.some(([, other]) => other === id)
    const all = isThere ? queue : [...queue, [Number(time), id] as const].sort(before)
    writeQueue(server, name, all, Number(life))
    publish(server, name, id, 'hello')
  }
  return [operation + id, get(server, key) === undefined ? 1 : 0]
}

/** Runs the script of a release that wakes a waiter on keys in memory. */
export const emulateWakingRelease = (server: MemoryServer, call: ScriptInput): Reply => {
  const [name = '', ...keys] = call.keys
  const released = emulateScript(server, { ...call, keys })
  // It does not tell that the lock was released by force before.
  const reply = { ...released, left: Math.max(released.left, -1) }
  if (reply.status !== 'granted') return reply
  for (let turn = 0; turn < maxDead; turn++) {
    const [first, ...others] = readQueue(server, name)
    if (!first) break
    writeQueue(server, name, others)
    if (publish(server, name, first[1], 'wake') > 0) break
  }
  return reply
}
