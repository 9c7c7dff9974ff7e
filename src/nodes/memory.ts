import type { ScriptCall } from '../scripts.ts'
import type { LockNode } from './node.ts'

/** A key of a memory node: its value, and when it expires by the node's clock, in ms. */
export type MemoryEntry = { readonly value: string; readonly expiresAt: number }

export type MemoryNodeOptions = {
  /** The node's clock, in ms. Default: `Date.now`. */
  readonly now?: () => number
  /** Tells the node from the others. Default: `memory-1`, `memory-2`, ... */
  readonly name?: string
}

/** A node in memory, with its keys open to see and to change. */
export type MemoryNode = LockNode & {
  /** What the node holds, also entries that have expired and that nobody has asked for since. */
  readonly entries: Map<string, MemoryEntry>
}

let nodes = 0

/** What others may know of a holder: the first bytes of its value, and its metadata. */
const publicPart = (owner: string): string => {
  const bytes = new TextEncoder().encode(owner)
  if (bytes.length < 8) return `h${owner}`
  const space = bytes.indexOf(32, 8)
  const note = space < 0 ? [] : bytes.subarray(space)
  return `h${new TextDecoder().decode(new Uint8Array([...bytes.subarray(0, 8), ...note]))}`
}

// A mark outlives its lock by an hour.
const markLife = 3_600_000

/**
 * A node without any server, for the tests of those who use the lock: it lives and dies with the
 * process, and answers as the script does on Redis. Not for production: it locks out nobody else.
 *
 * @example
 * ```ts
 * let now = 0
 * const node = memoryNode({ now: () => now })
 * const redlock = new Redlock({ nodes: [node] })
 * await redlock.acquire('report', { ttl: 5_000 })
 * now += 5_001 // on the node the lock has expired
 * ```
 */
export const memoryNode = ({ now = Date.now, name }: MemoryNodeOptions = {}): MemoryNode => {
  const entries = new Map<string, MemoryEntry>()
  /** The entry that is alive. Redis keeps a key until its time has passed, not until it has come. */
  const alive = (key: string): MemoryEntry | undefined => {
    const entry = entries.get(key)
    if (!entry || now() <= entry.expiresAt) return entry
    entries.delete(key)
    return undefined
  }
  const keep = (key: string, value: string, time: number): void => {
    const expiresAt = Math.max(now() + time, alive(key)?.expiresAt ?? 0)
    entries.set(key, { value, expiresAt })
  }
  const identify = (key: string, id: string): string => {
    if (!alive(key)) entries.set(key, { value: id, expiresAt: Infinity })
    return alive(key)!.value
  }
  const run = ({ keys, args: [operation, owner, text, step, id] }: ScriptCall): unknown[] => {
    const time = Number(text)
    const names = [...keys]
    const identity = id === undefined ? [] : [identify(names.pop()!, id)]
    const stone = names.pop()!
    const locks = names.filter((_, index) => index % Number(step) === 0)
    const markOf = (key: string): string => names[names.indexOf(key) + 1]!
    const writes = operation === 'a' || operation === 'e'
    let isGone = alive(stone) !== undefined
    let isNew = false
    let left = -1
    let by: string | undefined
    for (const key of locks) {
      const held = alive(key)
      if (!held) {
        const mark = operation === 'e' ? alive(markOf(key)) : undefined
        isGone ||= !writes || (mark !== undefined && mark.value !== owner)
        isNew ||= operation === 'e' && !mark
        continue
      }
      left = Math.max(left, held.expiresAt - now())
      if (held.value !== owner) by = publicPart(held.value)
      else if (operation === 'r') entries.delete(key)
    }
    if (operation === 'r') entries.set(stone, { value: '', expiresAt: now() + time })
    else if (writes && by === undefined && !isGone) {
      for (const key of locks) {
        keep(key, owner, time)
        if (step === '2') {
          entries.set(markOf(key), { value: owner, expiresAt: now() + time + markLife })
        }
      }
    }
    const status = by === undefined ? (isGone || isNew ? 'absent' : 'granted') : 'locked'
    return [operation + owner, status, left, by ?? '', ...identity]
  }
  return { name: name ?? `memory-${++nodes}`, entries, run: async (call) => run(call) }
}

/** Several independent ones, on one clock. */
export const memoryNodes = (
  count: number,
  options: Pick<MemoryNodeOptions, 'now'> = {},
): MemoryNode[] => Array.from({ length: count }, () => memoryNode(options))
