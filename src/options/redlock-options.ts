import type { LockNode } from '../nodes/node.ts'
import type { RestNodeOptions } from '../nodes/rest-node.ts'
import type { LockEvent } from '../reports/events.ts'
import type { Retry } from '../retry/retry.ts'
import type { Clock } from '../util/clock.ts'

/** Options of a `Redlock`. All times are in ms. */
export type RedlockOptions = {
  /** The independent servers that vote: `{ url, token }`, `restNode(...)`, `upstashNode(...)`. */
  readonly nodes: readonly (RestNodeOptions | LockNode)[]
  /** How long a lock lives unless it is extended. Default 10,000. */
  readonly ttl?: number
  /**
   * The longest ttl and window that any client uses; longer ones are refused. So long a volatile
   * node abstains when it comes up anew, but at least 11 s. Default: `ttl` where a node is volatile,
   * else no limit.
   */
  readonly maxTtl?: number
  /** Share of the ttl that clocks may drift apart; 2 ms are added. Default 0.01. */
  readonly driftFactor?: number
  /**
   * For one node's whole answer, body included. Default: 2,000, or half the ttl if that is less. It is
   * generous, since opening a connection over TLS takes three round trips; a node that hangs costs
   * that long only where a majority does.
   */
  readonly nodeTimeout?: number
  /** How many nodes must agree. Default, and least: the majority. */
  readonly quorum?: number
  /**
   * How many requests one call may cost, with the release and the extensions of its lock; at least
   * two per node. With less than that left, nothing is tried again or extended by itself; what you
   * call counts, but is done. A server that does not know the script yet costs one more. Default:
   * no limit.
   */
  readonly budget?: number
  /**
   * `parallel` (default) asks all nodes at once: one round trip. `frugal` asks the first of them, by
   * name, and the others only if it grants: two round trips for the winner, one request for those
   * who are refused. If it fails, or does not answer in half of `nodeTimeout` or 250 ms, all are
   * asked.
   */
  readonly strategy?: 'parallel' | 'frugal'
  /** How many nodes a round asks at the same time. Default 5: Workers have six connections. */
  readonly concurrency?: number
  /** When `acquire` and `using` try again. Default `{ attempts: 10, minDelay: 50, maxDelay: 250 }`. */
  readonly retry?: Retry
  /** Begins every Redis key. Default `lock:`. */
  readonly prefix?: string
  /**
   * Whether callers of one `Redlock` that wait for the same keys stand in line, first come, first
   * served, so that only one at a time asks the nodes. Default: true, but false on Cloudflare
   * Workers, where one request must not wait for another.
   */
  readonly singleFlight?: boolean
  /** Is told what happens. What it throws is ignored. */
  readonly onEvent?: (event: LockEvent) => void
  /**
   * Makes the secret value of an attempt: 16 to 256 visible ASCII characters that nobody can guess
   * and that never come twice; the first eight tell holders apart. Default `crypto.randomUUID`.
   */
  readonly value?: () => string
  /** Replaces the runtime's clocks and timers, for tests and simulations. */
  readonly clock?: Clock
  /** Replaces `Math.random` for delays, for tests and simulations. */
  readonly random?: () => number
}
