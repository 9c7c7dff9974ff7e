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
   * How long each node remembers the fencing counter of a lock after the lock has ended. Tokens keep rising after that
   * time, unless the servers' clocks differ by more than this time minus 10 s. A server that forbids TIME in scripts
   * remembers a counter for at least a day. From 11,000 to 2,592,000,000 (30 days). Default: 600,000, which is 10
   * minutes.
   */
  readonly fenceTtl?: number
  /** The share of the `ttl` by which clocks may drift apart. The library adds 2 ms to it. Default: 0.01. */
  readonly driftFactor?: number
  /** The maximum number of nodes that a call asks at the same time. Default: 5, since Workers have six connections. */
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
   * The longest `ttl` and `window` that any client uses. Longer ones are rejected. After a restart, a volatile node
   * abstains for this time, and for at least 11 s. Default: `ttl` if a node is volatile, otherwise no limit.
   */
  readonly maxTtl?: number
  /**
   * The timeout for a node's complete answer, including the body. It is generous, since opening a connection over TLS
   * takes three round trips. A call waits so long for a node that hangs only if a majority hangs. Default: 2,000, or
   * half the validity of the `ttl` if that is less.
   */
  readonly nodeTimeout?: number
  /**
   * The maximum number of requests of one call, including the release and the extensions of its lock: at least two per
   * node. A request to a node also reserves a release there, until the node rejects the lock. Once fewer than two per
   * node remain, automatic retries and extensions stop. Your own calls still run, and still count. The middleware of
   * one HTTP request shares one budget: each takes up to two requests per node, and is rejected as `unavailable`
   * without them. A wait leaves 40 % of the budget to the middleware inside. A server that has not cached the script
   * costs one more request. The same applies to a grant that arrives after its release, and to a node that grants a
   * different slot than the others. Default: no limit. On Cloudflare Workers, for nodes that use `fetch`: 50 minus one
   * per node, since the free plan allows 50 external requests.
   */
  readonly budget?: number
  /**
   * `parallel` (default) asks all nodes simultaneously: one round trip. `frugal` asks the first node, by name, and the
   * others only if the first grants the lock. This costs one request for a rejected call, and two round trips for the
   * winner. The others are also asked if the first node fails, or takes much longer than a majority usually does (250
   * ms in a new isolate).
   */
  readonly strategy?: 'parallel' | 'frugal'
  /** When `acquire` and `using` retry. Default: `{ attempts: 10, delay: 30, maxDelay: 230 }`. */
  readonly retry?: Retry
  /** The beginning of every Redis key. Default: `lock:`. */
  readonly prefix?: string
  /**
   * Whether callers of one `Redlock` that wait for the same keys queue up, first come, first served. Then only one at a
   * time asks the nodes. Default: true, but false on Cloudflare Workers, because there one request must not wait for
   * another.
   */
  readonly localQueue?: boolean
  /**
   * Whether the console shows a warning if a node fails, if two nodes lead to the same server, or if too few nodes
   * answer. Each warning is shown once per isolate, and failures of a node once per error. Default: true, but false
   * with `onEvent`.
   */
  readonly warnings?: boolean
  /** Receives all events. Errors that it throws are ignored. */
  readonly onEvent?: (event: LockEvent) => void
  /** Options that hardly any application needs. */
  readonly advanced?: AdvancedOptions
}
