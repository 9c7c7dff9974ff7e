import { type Clock, systemClock } from './clock.ts'
import type { LockEvent } from './events.ts'
import { checkFunctions, checkInteger, checkNumber, checkTtl, expect } from './expect.ts'
import { checkText, isValue } from './keys.ts'
import { type Memory, memoryOf } from './isolate.ts'
import { type Lines, wakeFirst } from './line.ts'
import type { LockNode } from './nodes/node.ts'
import { restNode, type RestNodeOptions } from './nodes/rest.ts'
import { type Retry, retryFunction } from './retry.ts'

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
  /** For one node's whole answer, body included. Default: 500, or half the ttl if that is less. */
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

/** Options after the door: checked, complete, and the nodes in rank order. */
export type Settings = {
  readonly nodes: readonly LockNode[]
  readonly quorum: number
  readonly ttl: number
  readonly maxTtl: number
  readonly driftFactor: number
  readonly nodeTimeout?: number
  readonly budget: number
  readonly concurrency: number
  readonly retry: Retry
  readonly prefix: string
  readonly singleFlight: boolean
  readonly lines: Lines
  readonly emit: (event: LockEvent) => void
  readonly makeValue: () => string
  /** What the nodes said they are, as far as they were asked. */
  readonly identities: unknown[]
  readonly memory: Memory
  /** Which databases these are, and where in them: the same for every client of the same. */
  readonly place: string
  readonly clock: Clock
  readonly random: () => number
}

const checkNodes = (nodes: RedlockOptions['nodes']): LockNode[] => {
  expect(Array.isArray(nodes) && nodes[0], 'nodes', 'an array of { url, token }', nodes)
  const checked = nodes.map((node, index) =>
    // Object(): what is no object at all has no url either, and is told so.
    'run' in Object(node) ? (node as LockNode) : restNode(Object(node), `nodes[${index}]`),
  )
  // Rank: the same order for every client, in whatever order each lists the nodes.
  return checked.sort((a, b) => {
    // No sort can tell neighbours apart without comparing them, so equal names meet here.
    expect(a.name !== b.name, 'nodes', 'independent servers', nodes)
    return a.name < b.name ? -1 : 1
  })
}

/** The generator, with what it makes checked: a value that serves twice would free another's lock. */
const checked = (make: () => string): (() => string) => {
  let last: string
  return () => {
    const value = make()
    const fits = isValue(value) && value !== last
    expect(fits, 'value', '16 to 256 new visible ASCII characters', value)
    return (last = value)
  }
}

type Optional = 'maxTtl' | 'nodeTimeout'
type Defaulted = Required<Omit<RedlockOptions, 'nodes' | Optional>> & Pick<RedlockOptions, Optional>

let hasWarned = false

/** Checks the options of a `Redlock` and fills in the defaults. */
export const checkOptions = (options: RedlockOptions): Settings => {
  const nodes = checkNodes(options.nodes)
  const majority = (nodes.length >> 1) + 1
  const lines: Lines = new Map()
  const settings: Defaulted = {
    quorum: majority,
    ttl: 10_000,
    driftFactor: 0.01,
    budget: Infinity,
    concurrency: 5,
    retry: {},
    prefix: 'lock:',
    // Workers share an isolate between requests, one of which must not wait for another.
    singleFlight: globalThis.navigator?.userAgent !== 'Cloudflare-Workers',
    onEvent: () => {},
    value: () => crypto.randomUUID(),
    clock: systemClock,
    random: Math.random,
  }
  // What is undefined counts as left out.
  for (const [option, given] of Object.entries(options)) {
    if (given !== undefined) (settings as Record<string, unknown>)[option] = given
  }
  const { quorum, ttl, driftFactor, nodeTimeout, budget, concurrency, prefix } = settings
  const { onEvent, value } = settings
  const { maxTtl = nodes.some(({ volatile }) => volatile) ? ttl : 2 ** 47 } = settings
  checkInteger('quorum', quorum, majority, nodes.length)
  checkNumber('driftFactor', driftFactor, 0, 0.9)
  checkNumber('budget', budget, 2 * nodes.length)
  checkInteger('concurrency', concurrency)
  checkText('prefix', prefix)
  checkFunctions({ onEvent, value })
  checkInteger('maxTtl', maxTtl)
  checkTtl('ttl', ttl, { maxTtl })
  retryFunction(settings.retry, settings.random, 1)
  if (nodeTimeout !== undefined) checkInteger('nodeTimeout', nodeTimeout)
  const memory = memoryOf(nodes, prefix)
  if (nodes.length % 2 === 0 && !hasWarned) {
    hasWarned = true
    console.warn('edge-redlock: use an odd number of nodes')
  }
  return {
    ...settings,
    nodes,
    maxTtl,
    lines,
    makeValue: checked(value),
    identities: [...memory.identities],
    memory,
    place: JSON.stringify([
      prefix,
      ...nodes.map(({ scope, name }) => scope?.split('/')[0] ?? name),
    ]),
    emit: (event) => {
      if (/released|lost/.test(event.type)) wakeFirst(lines, event.keys)
      // It may be async as well, whatever its type says.
      const tell = async (): Promise<void> => onEvent(event)
      tell().catch(() => {})
    },
  }
}
