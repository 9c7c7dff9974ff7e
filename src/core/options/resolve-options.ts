import { type LockNode, numberOf, type RestartGuard } from '../../protocol/node.ts'
import { checkText } from '../../protocol/keys.ts'
import { retryFunction } from '../retry/retry.ts'
import { systemClock } from '../../util/clock.ts'
import { type Warn, warnOnce } from '../../util/warn-once.ts'
import {
  assertOption,
  type OptionCheck,
  checkBoolean,
  checkFunction,
  checkInteger,
  checkNumber,
  checkObject,
  checkOptions,
  checkStrategy,
  checkTime,
  checkTtl,
  warnOfSeconds,
} from '../../util/validate.ts'
import type { AdvancedOptions, RedlockOptions } from './redlock-options.ts'
import { isClient, restNodeAt, type RestNodeOptions } from '../../redis/rest-node.ts'

/**
 * Whether the object is a node. A Redis client can have the same methods; `restNode` then throws an error that says
 * what to do.
 */
const isNode = (node: object): boolean =>
  ('run' in node || ('eval' in node && 'name' in node)) && !isClient(node)

/**
 * Checks the nodes of a `Redlock` and sorts them by name. So every client has the same order, however it lists its
 * nodes.
 *
 * @throws `TypeError`, which names the node or the option.
 */
const resolveNodes = (nodes: readonly (RestNodeOptions | LockNode)[]): readonly LockNode[] => {
  const isList = Array.isArray(nodes) && nodes.length > 0
  assertOption(isList, 'nodes', 'an array of `{ url, token }`', nodes)
  const resolved = Array.from(nodes, (node, index) =>
    isNode(Object(node) as object)
      ? (node as LockNode)
      : restNodeAt(`nodes[${index}]`, node as RestNodeOptions),
  )
  for (const node of resolved) {
    const { name, run, volatile = false } = node
    checkText('name', name, 1)
    checkFunction('run', run)
    const given = (node as { readonly eval?: unknown }).eval
    assertOption(given === undefined, 'eval', 'replaced with `run`, which receives commands', given)
    const fits = volatile === false || typeof Object(volatile).guard === 'function'
    assertOption(fits, 'volatile', 'quarantine() in code', volatile)
  }
  return resolved.sort((a, b) => {
    // Every sort compares the names that end up next to each other, so this detects all equal names.
    const twice = `${a.name} twice`
    assertOption(a.name !== b.name, 'nodes', 'independent servers', nodes, twice)
    return a.name < b.name ? -1 : 1
  })
}

type Given = Omit<RedlockOptions, 'nodes' | 'advanced'> & AdvancedOptions

type Defaulted =
  | 'quorum'
  | 'ttl'
  | 'maxTtl'
  | 'fenceTtl'
  | 'driftFactor'
  | 'budget'
  | 'concurrency'
  | 'strategy'
  | 'retry'
  | 'prefix'
  | 'localQueue'
  | 'random'
  | 'clock'

/** The options of a `Redlock`, checked and complete. The options in `advanced` are merged into the others. */
export type ResolvedOptions = Omit<Given, Defaulted> &
  Required<Pick<Given, Defaulted>> & {
    /** In order of rank, which is the same for every client. */
    readonly nodes: readonly LockNode[]
    /**
     * By node: the guard that keeps the node from voting after a restart; undefined for a node that loses no writes.
     */
    readonly guards: readonly (RestartGuard | undefined)[]
    /**
     * Identifies the databases and the key prefix. Equal for clients that share keys, if they use the same key names.
     */
    readonly keyspace: string
    /** Warns on the console about problems with the options or the nodes; undefined if `warnings` is off. */
    readonly warn: Warn | undefined
  }

/**
 * In ms. Opening a TLS connection takes three round trips, and a shorter timeout could discard the connection before it
 * is ready.
 */
export const defaultNodeTimeout = 2_000

// A counter that restarts from the clock must be higher than the one that was forgotten. Clients may have raised the
// old counter to 5 s ahead of a server's clock. Clients may now be 5 s behind, and the servers' clocks may differ by a
// second. The minimum is the sum of these differences.
const minFenceTtl = 11_000
const maxFenceTtl = 30 * 86_400_000

/** The checks of the options in `advanced` that do not depend on other options. */
const advancedChecks = {
  quorum: undefined,
  fenceTtl: (option: string, given: number) => checkTime(option, given, minFenceTtl, maxFenceTtl),
  driftFactor: (option: string, given: number) => checkNumber(option, given, 0, 0.5),
  concurrency: checkInteger,
  clock: undefined,
  random: checkFunction,
} satisfies Record<keyof AdvancedOptions, OptionCheck | undefined>

/** The same checks for the options of a `Redlock`. */
const checks = {
  nodes: undefined,
  ttl: undefined,
  maxTtl: checkTime,
  nodeTimeout: undefined,
  budget: undefined,
  strategy: checkStrategy,
  retry: undefined,
  prefix: checkText,
  localQueue: checkBoolean,
  warnings: checkBoolean,
  onEvent: checkFunction,
  advanced: (option: string, given: object) => checkObject(option, 'an object', given),
} satisfies Record<keyof RedlockOptions, OptionCheck | undefined>

/** The names of all options except `nodes`, for `fromEnv`, which takes the nodes from the environment. */
export const optionsBesideNodes = (): string => Object.keys(checks).slice(1).join(', ')

/** The maximum number of `fetch` requests per Worker invocation on the free plan. */
const freeRequests = 50

/** The default of `budget`: on Workers, the limit of the free plan minus the requests to release a second lock. */
const usualBudget = (nodes: readonly LockNode[], isOnWorkers: boolean): number =>
  isOnWorkers && nodes.some(({ usesFetch }) => usesFetch)
    ? Math.max(2 * nodes.length, freeRequests - nodes.length)
    : Infinity

/** Checks the options of a `Redlock` and fills in the defaults. */
export const resolveOptions = (options: RedlockOptions): ResolvedOptions => {
  const {
    nodes: listed,
    advanced = {},
    ttl = 10_000,
    ...others
  } = checkOptions('Redlock', options, checks)
  const nodes = resolveNodes(listed)
  const majority = (nodes.length >> 1) + 1
  const isOnWorkers = globalThis.navigator?.userAgent === 'Cloudflare-Workers'
  const resolved = {
    quorum: majority,
    ttl,
    maxTtl: nodes.some(({ volatile }) => volatile) ? ttl : 2 ** 47,
    fenceTtl: 600_000,
    driftFactor: 0.01,
    budget: usualBudget(nodes, isOnWorkers),
    concurrency: 5,
    strategy: 'parallel',
    retry: {},
    prefix: 'lock:',
    // On Workers, requests share an isolate, but one request must not wait for another.
    localQueue: !isOnWorkers,
    clock: systemClock,
    random: () => Math.random(),
    ...others,
    ...checkOptions('advanced', advanced, advancedChecks),
  } as ResolvedOptions
  const { quorum, maxTtl, nodeTimeout = 1, budget, retry, random, prefix, onEvent } = resolved
  checkInteger('quorum', quorum, majority, nodes.length)
  checkNumber('budget', budget, 2 * nodes.length)
  const warn = (resolved.warnings ?? !onEvent) ? warnOnce : undefined
  checkTtl('ttl', ttl, { maxTtl })
  warnOfSeconds({ nodes, warn }, { ttl })
  retryFunction(retry, random, 1)
  // A grant that takes longer than the TTL is useless, but opening a connection can take longer than a short TTL.
  const maxTimeout = Math.max(ttl, defaultNodeTimeout)
  checkTime('nodeTimeout', nodeTimeout, 1, maxTimeout)
  if (nodes.length % 2 === 0) warn?.('ERL21', 'use an odd number of nodes')
  const keyspace = JSON.stringify([prefix, ...nodes.map((node) => node.scope ?? numberOf(node))])
  const guards = nodes.map(({ volatile }) => (volatile ? volatile.guard(resolved) : undefined))
  return { ...resolved, nodes, guards, keyspace, warn }
}
