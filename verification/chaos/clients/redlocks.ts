import {
  type Lock,
  type LockEvent,
  type NodeReport,
  Redlock,
  type SlotRedlock,
  withSlots,
} from '../../../src/index.ts'
import {
  type ClientSettings,
  driftFactor,
  maxTtl,
  nodes as named,
  ttl,
} from '../campaign/settings.ts'
import type { BurstPlan } from './bursts.ts'
import { observeNodes } from './observe-nodes.ts'

/** Receives the events of one lock. */
type LockWatcher = {
  readonly onEvent: (event: LockEvent) => void
  /** Called before a request to extend the lock is sent. */
  readonly onExtend: () => void
}

/** The instances of the library that the clients of one process share. */
export type Redlocks = {
  readonly usual: SlotRedlock
  /** Returns the instance for a `driftFactor` and a strategy. Its locks can be watched. */
  readonly forBurst: (plan: Pick<BurstPlan, 'driftFactor' | 'strategy'>) => Redlock
  /** Watches a lock until the returned function is called. */
  readonly watch: (lock: Lock, watcher: LockWatcher) => () => void
  /** Formats the reports of the nodes. */
  readonly describe: (reports: readonly NodeReport[]) => string
  /** The indices of the nodes whose last reply granted the lock with this value. */
  readonly grantsOf: (value: string) => number[]
}

// With the default budget for Workers, a lock that is kept alive for seconds would run out of requests and be lost.
const budget = 1_000

export const makeRedlocks = ({ nodes: options }: ClientSettings): Redlocks => {
  const byKey = new Map<string, LockWatcher>()
  const byValue = new Map<string, LockWatcher>()
  const redlocks = new Map<string, Redlock>()
  const { nodes, grantsOf } = observeNodes(options, (value) => byValue.get(value)?.onExtend())
  const onEvent = (event: LockEvent): void => byKey.get(event.keys[0]!)?.onEvent(event)
  return {
    usual: withSlots(
      new Redlock({ nodes, ttl, maxTtl, advanced: { driftFactor }, warnings: false }),
    ),
    forBurst: ({ driftFactor, strategy }) => {
      const name = `${driftFactor} ${strategy}`
      const redlock =
        redlocks.get(name) ??
        new Redlock({ nodes, ttl, maxTtl, budget, advanced: { driftFactor }, strategy, onEvent })
      redlocks.set(name, redlock)
      return redlock
    },
    watch: ({ keys, value }, watcher) => {
      byKey.set(keys[0]!, watcher)
      byValue.set(value, watcher)
      return () => {
        byKey.delete(keys[0]!)
        byValue.delete(value)
      }
    },
    describe: (reports) =>
      reports
        .map(({ node, status }) => {
          const index = nodes.findIndex(({ name }) => name === node)
          return `${named[index]!.name} ${status}`
        })
        .join(', '),
    grantsOf,
  }
}
