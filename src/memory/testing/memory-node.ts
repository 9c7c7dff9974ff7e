import type { MemoryEntry, RejectedCommand } from '../memory-server.ts'
import { runGuarded } from '../restart-guard.ts'
import type { LockNode } from '../../protocol/node.ts'
import { type Clock, systemClock } from '../../util/clock.ts'
import { checkInteger, checkOptions } from '../../util/validate.ts'
import { type NodeControls, nodeGate } from './node-controls.ts'

export type MemoryNodeOptions = {
  /** The node's clock, in ms. Default: the wall clock of `clock`. */
  readonly now?: () => number
  /** The source of the node's time, and of the timers of `delay`. Default: the runtime's clock. */
  readonly clock?: Clock
  /** Distinguishes the node from the others. Default: `memory-1`, `memory-2`, ... */
  readonly name?: string
  /** `quarantine()` if the node abstains when it is new, and after a `restart`. Default: false. */
  readonly volatile?: LockNode['volatile']
  /** Commands that the server rejects in scripts. Keys expire in any case. Default: none. */
  readonly rejects?: readonly RejectedCommand[]
}

/** A node in memory. Tests can read and change its keys, and make it fail or hang. */
export type MemoryNode = LockNode &
  NodeControls & {
    /**
     * The stored keys, including the values of the locks. An expired entry stays until a request
     * asks for its key.
     */
    readonly entries: Map<string, MemoryEntry>
    /**
     * Restarts the node with the given saved entries. Default: none. Pass `entries` to simulate a server that saves
     * every write.
     */
    readonly restart: (saved?: Iterable<readonly [key: string, entry: MemoryEntry]>) => void
  }

let nodes = 0

/**
 * A node without a server, for tests of code that uses the lock. It answers like the scripts on Redis, and lives as
 * long as the process. It is not for production, because other processes do not see its locks.
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

// A higher number is a mistake, such as a time in ms.
const maxCount = 1_000

/**
 * Several independent memory nodes on one clock.
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
