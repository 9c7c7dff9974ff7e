import type { LockNode } from '../../protocol/node.ts'
import type { RestNodeOptions } from '../../redis/rest-node.ts'
import type { LockEvent } from '../results/events.ts'
import type { Retry } from '../retry/retry.ts'
import type { Clock } from '../../util/clock.ts'

/** Options that hardly any application needs. All clients of a lock must agree on `quorum` and `fenceTtl`. */
export type AdvancedOptions = {
  /** The number of nodes that must agree. It may be more than the majority, which is the default. */
  readonly quorum?: number
  /**
   * How long each node remembers the fencing counter of a lock after the lock has ended. Tokens rise
   * across that as long as the clocks of the servers agree to within 10 s less. A server that forbids
   * TIME in scripts remembers a counter for at least a day. From 11,000 to 2,592,000,000 (30 days).
   * Default: 600,000, which is 10 minutes.
   */
  readonly fenceTtl?: number
  /** The share of the ttl by which clocks may drift apart; 2 ms are added. Default: 0.01. */
  readonly driftFactor?: number
  /** How many nodes a call asks at the same time. Default: 5, since Workers have six connections. */
  readonly concurrency?: number
  /** Replaces the runtime's clocks and timers, for tests and simulations. */
  readonly clock?: Clock
  /** Replaces `Math.random` for delays, for tests and simulations. */
  readonly random?: () => number
}

/** Options of a `Redlock`. All times are in ms. */
export type RedlockOptions = {
  /** The independent servers that vote: `{ url, token }`, `restNode(...)`, `upstashNode(...)`. */
  readonly nodes: readonly (RestNodeOptions | LockNode)[]
  /** How long a lock lives unless it is extended. Default: 10,000. */
  readonly ttl?: number
  /**
   * The longest ttl and window that any client uses. Longer ones are refused. After a restart a
   * volatile node abstains for so long, and for at least 11 s. Default: `ttl` where a node is
   * volatile, otherwise no limit.
   */
  readonly maxTtl?: number
  /**
   * For one node's whole answer, body included. It is generous, since opening a connection over TLS
   * takes three round trips. A node that hangs costs that long only if a majority hangs. Default:
   * 2,000, or half the validity of the ttl if that is less.
   */
  readonly nodeTimeout?: number
  /**
   * The number of requests that one call may cost, with the release and the extensions of its lock: at least two per
   * node. Asking a node also reserves its release, until the node refuses. Once fewer than two per node remain,
   * automatic retries and extensions stop. Calls you make yourself still run, and still count. The middleware of one
   * HTTP request shares one budget: each one takes up to two per node, and is rejected as `unavailable` without them.
   * A wait leaves 40 % of the budget to the middleware inside. A server that does not know the script yet costs one
   * more, and so do a grant that arrives after its release and a node that grants another slot than the others.
   * Default: no limit; on Cloudflare Workers, for nodes that use `fetch`, 50 less one per node, since the free plan
   * allows 50 external requests.
   */
  readonly budget?: number
  /**
   * `parallel` (default) asks all nodes at once: one round trip. `frugal` asks the first node, by
   * name, and the others only if that grants: one request for a refused call, and two round trips for
   * the winner. The others are also asked if the first fails, or takes much longer than a majority
   * usually does (250 ms in a new isolate).
   */
  readonly strategy?: 'parallel' | 'frugal'
  /** When `acquire` and `using` retry. Default: `{ attempts: 10, delay: 30, maxDelay: 230 }`. */
  readonly retry?: Retry
  /** The beginning of every Redis key. Default: `lock:`. */
  readonly prefix?: string
  /**
   * Whether callers of one `Redlock` that wait for the same keys queue up, first come, first served,
   * so that only one at a time asks the nodes. Default: true, but false on Cloudflare Workers, where
   * one request must not wait for another.
   */
  readonly localQueue?: boolean
  /**
   * Whether the console shows, once per isolate, that a node fails (once for each error) or leads to the same server
   * as another, or that too few nodes answer. Default: true, but false with `onEvent`.
   */
  readonly warnings?: boolean
  /** Receives what happens. Errors that it throws are ignored. */
  readonly onEvent?: (event: LockEvent) => void
  /** Options that hardly any application needs. */
  readonly advanced?: AdvancedOptions
}
