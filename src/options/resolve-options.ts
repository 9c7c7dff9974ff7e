import { type LockNode, numberOf } from '../nodes/node.ts'
import { resolveNodes } from '../nodes/resolve-nodes.ts'
import { checkText } from '../protocol/keys.ts'
import { retryFunction } from '../retry/retry.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { warnOnce } from '../util/warn-once.ts'
import {
  assertOption,
  type Check,
  checkBoolean,
  checkChoice,
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  checkTime,
  checkTtl,
} from '../util/validate.ts'
import type { RedlockOptions } from './redlock-options.ts'

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
    | 'localQueue'
    | 'random'
  >
>

/** The options of a `Redlock`, checked and complete. */
export type ResolvedOptions = Readonly<Defaulted> &
  Pick<RedlockOptions, 'keyName' | 'nodeTimeout' | 'warnings' | 'onEvent' | 'value'> & {
    /** In order of rank, which is the same for every client. */
    readonly nodes: readonly LockNode[]
    readonly clock: Clock
    /**
     * The databases and the prefix in them: equal for all clients whose keys can meet, where `keyName` gives
     * them the same names.
     */
    readonly keyspace: string
  }

/** Ms. Opening a connection over TLS takes three round trips; a shorter timeout would throw it away. */
export const defaultNodeTimeout = 2_000

// A counter that starts from the clock again must be above the one that was forgotten. Clients may have
// raised that one to 5 s ahead of a server's clock, and may be 5 s behind now; the clocks of servers may
// differ by a second.
const minFenceTtl = 11_000
const maxFenceTtl = 30 * 86_400_000

/** The options of a `Redlock`, each with its check, as far as it needs no other option. */
const checks = {
  nodes: undefined,
  ttl: undefined,
  maxTtl: checkTime,
  fenceTtl: (option: string, given: number) => checkTime(option, given, minFenceTtl, maxFenceTtl),
  driftFactor: (option: string, given: number) => checkNumber(option, given, 0, 0.5),
  nodeTimeout: checkTime,
  quorum: undefined,
  budget: undefined,
  strategy: checkChoice('parallel', 'frugal'),
  concurrency: checkInteger,
  retry: undefined,
  prefix: checkText,
  keyName: checkFunction,
  localQueue: checkBoolean,
  warnings: checkBoolean,
  onEvent: checkFunction,
  value: checkFunction,
  clock: undefined,
  random: checkFunction,
} satisfies Record<keyof RedlockOptions, Check | undefined>

/** The names of all options but `nodes`, which would have no effect beside those of the environment. */
export const fromEnvOptions: readonly string[] = Object.keys(checks).slice(1)

/** Checks the options of a `Redlock` and fills in the defaults. */
export const resolveOptions = (options: RedlockOptions): ResolvedOptions => {
  checkOptions('Redlock', options, checks)
  const nodes = resolveNodes(options.nodes)
  const majority = (nodes.length >> 1) + 1
  const resolved: Omit<ResolvedOptions, 'nodes' | 'maxTtl' | 'keyspace'> & {
    readonly maxTtl?: number
  } = {
    quorum: majority,
    ttl: 10_000,
    fenceTtl: 600_000,
    driftFactor: 0.01,
    budget: Infinity,
    concurrency: 5,
    strategy: 'parallel',
    retry: {},
    prefix: 'lock:',
    // Workers share an isolate between requests, one of which must not wait for another.
    localQueue: globalThis.navigator?.userAgent !== 'Cloudflare-Workers',
    clock: systemClock,
    random: () => Math.random(),
  }
  // An option that is undefined counts as left out.
  for (const [option, given] of Object.entries(options)) {
    if (given !== undefined) (resolved as Record<string, unknown>)[option] = given
  }
  const { quorum, ttl, nodeTimeout = 1, budget, retry, random, prefix, warnings } = resolved
  const { maxTtl = nodes.some(({ volatile }) => volatile) ? ttl : 2 ** 47 } = resolved
  checkInteger('quorum', quorum, majority, nodes.length)
  checkNumber('budget', budget, 2 * nodes.length)
  checkTtl('ttl', ttl, { maxTtl, nodes, warnings })
  retryFunction(retry, random, 1)
  // A grant that takes longer than the ttl is worth nothing, but opening a connection may take longer.
  const maxTimeout = Math.max(ttl, defaultNodeTimeout)
  const expected = `at most ${maxTimeout}, the maximum of \`ttl\` and ${defaultNodeTimeout}`
  assertOption(nodeTimeout <= maxTimeout, 'nodeTimeout', expected, nodeTimeout)
  if (nodes.length % 2 === 0 && warnings !== false) warnOnce('use an odd number of nodes')
  const keyspace = JSON.stringify([prefix, ...nodes.map((node) => node.scope ?? numberOf(node))])
  return { ...resolved, nodes, maxTtl, keyspace }
}
