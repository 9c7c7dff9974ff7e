import type { LockNode } from '../../protocol/node.ts'
import type { RestNodeOptions } from '../../redis/rest-node.ts'
import type { LockEvent } from '../results/events.ts'
import type { Retry } from '../retry/retry.ts'
import type { Clock } from '../../util/clock.ts'

/** Options that hardly any application needs. All clients of a lock must agree on `quorum` and `fenceTtl`. */
export type AdvancedOptions = {
  /** The number of nodes that must agree: a majority or more. Default: the majority. */
  readonly quorum?: number
  /**
   * How long each node remembers the fencing counter of a lock after the lock has ended, in ms. Tokens keep rising even
   * after that time, unless the servers' clocks differ by more than this time minus 10 s. A server that forbids TIME in
   * scripts remembers a counter for at least a day. From 11,000 to 2,592,000,000 (30 days). Default: 600,000, which is
   * 10 minutes.
   */
  readonly fenceTtl?: number
  /** The share of the `ttl` by which clocks can drift apart. The library adds 2 ms. Default: 0.01. */
  readonly driftFactor?: number
  /**
   * The maximum number of nodes that a call asks at the same time. Default: 5, because a Worker can have six open
   * connections.
   */
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
  /** How long a lock lasts unless it is extended. Default: 10,000. */
  readonly ttl?: number
  /**
   * The longest `ttl` or `window` that any client uses; longer ones throw an error. After a restart, a volatile node
   * abstains for this time, and for at least 11 s. Default: `ttl` if a node is volatile, otherwise no limit.
   */
  readonly maxTtl?: number
  /**
   * The timeout for a node's complete answer, including the body. The default is generous, because opening a TLS
   * connection takes three round trips. A call waits this long only if a majority of the nodes hangs. Default: 2,000,
   * or half the validity of the `ttl` if that is less.
   */
  readonly nodeTimeout?: number
  /**
   * The maximum number of requests per call, including the release and the extensions of its lock: at least two per
   * node. A request to a node also reserves one for a release there, until the node rejects the lock. Once fewer than
   * two per node remain, automatic retries and extensions stop. Your own calls still run, and still count. All
   * middleware for one HTTP request shares one budget. Each middleware takes up to two requests per node. If fewer are
   * left, the request is rejected as `unavailable`. A middleware that waits leaves 40 % of the budget to the middleware
   * inside it. A server that has not cached the script costs one more request. So does a grant that arrives after its
   * release, and a node that grants a different slot from the others. Default: no limit. On Cloudflare Workers, for
   * nodes that use `fetch`: 50 minus one per node, because the free plan allows 50 external requests.
   */
  readonly budget?: number
  /**
   * `parallel` (default) asks all nodes simultaneously, which takes one round trip. `frugal` asks the node whose name
   * sorts first, and asks the others only if it grants the lock. A rejected call then costs one request, and the winner
   * needs two round trips. If the first node fails or is slow, the others are asked as well. It is slow if it takes
   * much longer than a majority usually does (250 ms in a new isolate).
   */
  readonly strategy?: 'parallel' | 'frugal'
  /** When `acquire` and `using` retry. Default: `{ attempts: 10, delay: 30, maxDelay: 230 }`. */
  readonly retry?: Retry
  /** The prefix of every Redis key. Default: `lock:`. */
  readonly prefix?: string
  /**
   * Whether calls of one `Redlock` that wait for the same keys form a queue, first come, first served. Then only one of
   * them at a time asks the nodes. Default: true, but false on Cloudflare Workers, because one request must not wait
   * for another there.
   */
  readonly localQueue?: boolean
  /**
   * Whether to log a warning to the console if a node fails, two nodes lead to the same server, or too few nodes
   * answer. Each warning appears once per isolate; a failing node causes one warning per error. Default: true, but
   * false with `onEvent`.
   */
  readonly warnings?: boolean
  /** Receives all events. Errors that this function throws are ignored. */
  readonly onEvent?: (event: LockEvent) => void
  /** Options that hardly any application needs. */
  readonly advanced?: AdvancedOptions
}
