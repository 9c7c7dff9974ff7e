import { acceptsNoRunId, type LockNode } from '../nodes/node.ts'
import { restNode } from '../nodes/rest-node.ts'
import { checkText } from '../protocol/keys.ts'
import { retryFunction } from '../retry/retry.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { warnOnce } from '../util/warn-once.ts'
import {
  assertOption,
  checkFunctions,
  checkInteger,
  checkNumber,
  checkOptions,
  checkTime,
  checkTtl,
} from '../util/validate.ts'
import { type RedlockOptions, redlockOptions } from './redlock-options.ts'

type Defaulted = Required<
  Pick<
    RedlockOptions,
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
    | 'singleFlight'
    | 'random'
  >
>

/** The options of a `Redlock`, checked and complete. */
export type ResolvedOptions = Readonly<Defaulted> &
  Pick<RedlockOptions, 'keyName' | 'nodeTimeout' | 'warnings' | 'onEvent' | 'value'> & {
    /** In order of rank, which is the same for every client. */
    readonly nodes: readonly LockNode[]
    readonly clock: Clock
  }

const resolveNodes = (nodes: RedlockOptions['nodes']): LockNode[] => {
  assertOption(Array.isArray(nodes) && nodes[0], 'nodes', 'an array of { url, token }', nodes)
  const resolved = nodes.map((node, index) =>
    'run' in Object(node) ? (node as LockNode) : restNode(node, `nodes[${index}]`),
  )
  for (const { name, run, volatile = false, keyLocking = false } of resolved) {
    assertOption(typeof name === 'string' && name, 'name', 'text that identifies the node', name)
    checkFunctions({ run })
    assertOption(typeof keyLocking === 'boolean', 'keyLocking', 'true or false', keyLocking)
    const fits = volatile === acceptsNoRunId || typeof volatile === 'boolean'
    assertOption(fits, 'volatile', `true, false or '${acceptsNoRunId}'`, volatile)
  }
  // The order of names is the same for every client, in whatever order each lists its nodes.
  return resolved.sort((a, b) => {
    // Equal names end up as neighbours, and no sort can order neighbours without comparing them.
    const twice = `${a.name} twice`
    assertOption(a.name !== b.name, 'nodes', 'independent servers', nodes, twice)
    return a.name < b.name ? -1 : 1
  })
}

const defaultTtl = 10_000

/** Ms. Opening a connection over TLS takes three round trips; a shorter timeout would throw it away. */
export const defaultNodeTimeout = 2_000

// A counter that starts from the clock again must be above the one that was forgotten. Clients may have
// raised that one to 5 s ahead of a server's clock, and may be 5 s behind now; the clocks of servers may
// differ by a second.
const minFenceTtl = 11_000
const maxFenceTtl = 30 * 86_400_000

/** Checks the options of a `Redlock` and fills in the defaults. */
export const resolveOptions = (options: RedlockOptions): ResolvedOptions => {
  checkOptions('Redlock', options, redlockOptions)
  const nodes = resolveNodes(options.nodes)
  const majority = (nodes.length >> 1) + 1
  const resolved: Omit<ResolvedOptions, 'nodes' | 'maxTtl'> & { readonly maxTtl?: number } = {
    quorum: majority,
    ttl: defaultTtl,
    fenceTtl: 600_000,
    driftFactor: 0.01,
    budget: Infinity,
    concurrency: 5,
    strategy: 'parallel',
    retry: {},
    prefix: 'lock:',
    // Workers share an isolate between requests, one of which must not wait for another.
    singleFlight: globalThis.navigator?.userAgent !== 'Cloudflare-Workers',
    clock: systemClock,
    random: Math.random,
  }
  // An option that is undefined counts as left out.
  for (const [option, given] of Object.entries(options)) {
    if (given !== undefined) (resolved as Record<string, unknown>)[option] = given
  }
  const { quorum, ttl, driftFactor, nodeTimeout, budget, concurrency, strategy, prefix } = resolved
  const { fenceTtl, keyName, onEvent, value, warnings } = resolved
  const { maxTtl = nodes.some(({ volatile }) => volatile) ? ttl : 2 ** 47 } = resolved
  checkInteger('quorum', quorum, majority, nodes.length)
  checkNumber('driftFactor', driftFactor, 0, 0.5)
  checkNumber('budget', budget, 2 * nodes.length)
  checkInteger('concurrency', concurrency)
  const isStrategy = ['parallel', 'frugal'].includes(strategy)
  assertOption(isStrategy, 'strategy', `'parallel' or 'frugal'`, strategy)
  checkText('prefix', prefix)
  if (onEvent !== undefined) checkFunctions({ onEvent })
  if (value !== undefined) checkFunctions({ value })
  if (keyName !== undefined) checkFunctions({ keyName })
  checkTime('maxTtl', maxTtl)
  const isAboveDefault = options.ttl !== undefined || maxTtl >= defaultTtl
  assertOption(isAboveDefault, 'maxTtl', `at least the default \`ttl\`, ${defaultTtl}`, maxTtl)
  checkTtl('ttl', ttl, { maxTtl })
  checkTime('fenceTtl', fenceTtl, minFenceTtl, maxFenceTtl)
  retryFunction(resolved.retry, resolved.random, 1)
  if (nodeTimeout !== undefined) {
    checkTime('nodeTimeout', nodeTimeout)
    // A grant that takes longer than the ttl is worth nothing, but opening a connection may take longer.
    const max = Math.max(ttl, defaultNodeTimeout)
    const expected = `at most ${max}, ${max === ttl ? 'the `ttl`' : 'its default'}`
    assertOption(nodeTimeout <= max, 'nodeTimeout', expected, nodeTimeout)
  }
  const isSwitch = warnings === undefined || typeof warnings === 'boolean'
  assertOption(isSwitch, 'warnings', 'true or false', warnings)
  if (nodes.length % 2 === 0 && warnings !== false) warnOnce('use an odd number of nodes')
  return { ...resolved, nodes, maxTtl }
}
