import type { MemoryEntry, RejectedCommand } from '../memory-server.ts'
import { runGuarded } from '../restart-guard.ts'
import type { LockNode } from '../../protocol/node.ts'
import { type Clock, systemClock } from '../../util/clock.ts'
import { checkInteger, checkOptions } from '../../util/validate.ts'
import { type NodeControls, nodeGate } from './node-controls.ts'

export type MemoryNodeOptions = {
  /** The node's clock, in ms. Default: the wall clock of `clock`. */
  readonly now?: () => number
  /** The clock that provides the node's time, and the timers of `delay`. Default: the runtime's clock. */
  readonly clock?: Clock
  /** The name of the node, which must be unique. Default: `memory-1`, `memory-2`, ... */
  readonly name?: string
  /** `quarantine()` if the node should abstain at first and after each `restart`. Default: false. */
  readonly volatile?: LockNode['volatile']
  /** Commands that the node rejects, as a server can forbid them in scripts. Keys still expire. Default: none. */
  readonly rejects?: readonly RejectedCommand[]
}

/** A node in memory. Tests can read and change its keys, and can make the node fail or hang. */
export type MemoryNode = LockNode &
  NodeControls & {
    /**
     * The stored keys, including the secret values of locks. An expired entry remains until the next request for its
     * key.
     */
    readonly entries: Map<string, MemoryEntry>
    /**
     * Restarts the node with only the saved entries. Default: none. Pass `entries` to simulate a server that saves
     * every write.
     */
    readonly restart: (saved?: Iterable<readonly [key: string, entry: MemoryEntry]>) => void
  }

let nodes = 0

/**
 * A node in memory, for tests of code that uses locks. Its replies are the same as those of the scripts on Redis. Not
 * for production, because other processes cannot see its locks.
 *
 * @example
 * ```ts
 * let now = 0
 * const node = memoryNode({ now: () => now })
 * const redlock = new Redlock({ nodes: [node] })
 * await redlock.acquire('report', { ttl: 5_000 })
 * now += 5_001 // on the node the lock has expired
 * node.hang() // no request is answered, until `node.recover()`
 * ```
 */
export const memoryNode = (options: MemoryNodeOptions = {}): MemoryNode => {
  checkOptions('memoryNode()', options, 'now, clock, name, volatile, rejects')
  const {
    clock = systemClock,
    now = () => clock.wall(),
    name = `memory-${++nodes}`,
    volatile = false,
    rejects = [],
  } = options
  const entries = new Map<string, MemoryEntry>()
  let runs = 1
  const server = { entries, now, run: () => `run_id:${runs}`, rejects }
  const { arrive, isOpen, ...controls } = nodeGate(clock)
  return {
    name,
    volatile,
    entries,
    ...controls,
    run: async (command, { signal, serverId, guard }) => {
      if (!isOpen()) await arrive(signal)
      return runGuarded(server, command, serverId, guard)
    },
    restart: (saved = []) => {
      const kept = [...saved]
      entries.clear()
      for (const [key, entry] of kept) entries.set(key, entry)
      runs++
    },
  }
}

// A higher number must be a mistake, such as a time in ms.
const maxCount = 1_000

/**
 * Creates several independent memory nodes with the same clock.
 *
 * @throws `TypeError` or `RangeError` unless `count` is an integer from 1 to 1,000.
 * @example
 * ```ts
 * const nodes = memoryNodes(3)
 * const redlock = new Redlock({ nodes })
 * nodes[0]?.fail() // two of three nodes still answer
 * ```
 */
export const memoryNodes = (
  count: number,
  options: Omit<MemoryNodeOptions, 'name'> = {},
): MemoryNode[] => {
  checkInteger('count', count, 1, maxCount)
  return Array.from({ length: count }, () => memoryNode(options))
}
