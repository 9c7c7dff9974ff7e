import { type Memory, memoryOf } from '../local/isolate-cache.ts'
import type { Lines } from '../local/wait-queue.ts'
import { type LockNode, numberOf } from '../nodes/node.ts'
import { restNode } from '../nodes/rest-node.ts'
import { checkText, isValue } from '../protocol/keys.ts'
import type { LockEvent } from '../reports/events.ts'
import { type Retry, retryFunction } from '../retry/retry.ts'
import { type Clock, systemClock } from '../util/clock.ts'
import { checkFunctions, checkInteger, checkNumber, checkTtl, expect } from '../util/validate.ts'
import type { RedlockOptions } from './redlock-options.ts'

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
  readonly strategy: 'parallel' | 'frugal'
  readonly retry: Retry
  readonly prefix: string
  readonly singleFlight: boolean
  readonly lines: Lines
  /** Tells what happens, if anybody wants to know. */
  readonly emit: ((event: LockEvent) => void) | undefined
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

type Optional = 'maxTtl' | 'nodeTimeout' | 'onEvent' | 'value'
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
    strategy: 'parallel',
    retry: {},
    prefix: 'lock:',
    // Workers share an isolate between requests, one of which must not wait for another.
    singleFlight: globalThis.navigator?.userAgent !== 'Cloudflare-Workers',
    clock: systemClock,
    random: Math.random,
  }
  // What is undefined counts as left out.
  for (const [option, given] of Object.entries(options)) {
    if (given !== undefined) (settings as Record<string, unknown>)[option] = given
  }
  const { quorum, ttl, driftFactor, nodeTimeout, budget, concurrency, strategy, prefix } = settings
  const { onEvent, value } = settings
  const { maxTtl = nodes.some(({ volatile }) => volatile) ? ttl : 2 ** 47 } = settings
  checkInteger('quorum', quorum, majority, nodes.length)
  checkNumber('driftFactor', driftFactor, 0, 0.9)
  checkNumber('budget', budget, 2 * nodes.length)
  checkInteger('concurrency', concurrency)
  const isStrategy = ['parallel', 'frugal'].includes(strategy)
  expect(isStrategy, 'strategy', `'parallel' or 'frugal'`, strategy)
  checkText('prefix', prefix)
  if (onEvent !== undefined) checkFunctions({ onEvent })
  if (value !== undefined) checkFunctions({ value })
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
    // The runtime's own is never wrong.
    makeValue: value ? checked(value) : () => crypto.randomUUID(),
    // A copy with its gaps: who has not answered yet is not another who has not.
    identities: memory.identities.slice(),
    memory,
    place: JSON.stringify([prefix, ...nodes.map((node) => node.scope ?? numberOf(node))]),
    emit:
      onEvent &&
      ((event) => {
        // It may be async as well, whatever its type says.
        const tell = async (): Promise<void> => onEvent(event)
        tell().catch(() => {})
      }),
  }
}
