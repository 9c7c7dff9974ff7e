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

/** Lua counts bytes, also in the middle of a character. */
const firstBytes = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).slice(0, 8))

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
  const run = ({ keys, args: [operation, value, text] }: ScriptCall): unknown[] => {
    const id = operation + value
    const time = Number(text)
    const own = keys.slice(0, -1)
    const stone = keys.at(-1)!
    let isGone = operation === 'a' && alive(stone) !== undefined
    let refusal: [left: number, holder: string] | undefined
    for (const key of own) {
      const held = alive(key)
      if (!held) isGone ||= operation !== 'a'
      else if (held.value !== value) {
        const left = Math.max(refusal?.[0] ?? -1, held.expiresAt - now())
        refusal = [left, `h${firstBytes(held.value)}`]
      } else if (operation === 'r') entries.delete(key)
    }
    if (operation === 'r') entries.set(stone, { value: '', expiresAt: now() + time })
    if (refusal) return [id, 0, ...refusal]
    if (isGone) return [id, -1]
    if (operation !== 'r') for (const key of own) keep(key, value, time)
    return [id, 1]
  }
  return { name: name ?? `memory-${++nodes}`, entries, run: async (call) => run(call) }
}

/** Several independent ones, on one clock. */
export const memoryNodes = (
  count: number,
  options: Pick<MemoryNodeOptions, 'now'> = {},
): MemoryNode[] => Array.from({ length: count }, () => memoryNode(options))
