import type { LockNode } from '../nodes/node.ts'
import { type MemoryEntry, runTwin } from './script-emulator.ts'

export type MemoryNodeOptions = {
  /** The node's clock, in ms. Default: `Date.now`. */
  readonly now?: () => number
  /** Tells the node from the others. Default: `memory-1`, `memory-2`, ... */
  readonly name?: string
  /** True if it is to abstain when it is new, and after a `restart`. */
  readonly volatile?: boolean
}

/** A node in memory, with its keys open to see and to change. */
export type MemoryNode = LockNode & {
  /**
   * What the node holds, the values of the locks included; also entries that have expired and that
   * nobody has asked for since.
   */
  readonly entries: Map<string, MemoryEntry>
  /** Restarts it with what it had saved: with nothing, unless entries are given. */
  readonly restart: (saved?: Iterable<readonly [key: string, entry: MemoryEntry]>) => void
}

let nodes = 0

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
export const memoryNode = ({
  now = Date.now,
  name = `memory-${++nodes}`,
  volatile = false,
}: MemoryNodeOptions = {}): MemoryNode => {
  const entries = new Map<string, MemoryEntry>()
  let runs = 1
  const server = { entries, now, run: () => `run_id:${runs}` }
  return {
    name,
    volatile,
    entries,
    run: async (call) => runTwin(server, call),
    restart: (saved = []) => {
      const kept = [...saved]
      entries.clear()
      for (const [key, entry] of kept) entries.set(key, entry)
      runs++
    },
  }
}

/** Several independent ones, on one clock. */
export const memoryNodes = (
  count: number,
  options: Pick<MemoryNodeOptions, 'now' | 'volatile'> = {},
): MemoryNode[] => Array.from({ length: count }, () => memoryNode(options))
