import { type Clock, systemClock } from './clock.ts'
import { expect } from './expect.ts'
import type { LockNode } from './nodes/node.ts'
import { restNode, type RestNodeOptions } from './nodes/rest.ts'
import { type Retry, retryFunction } from './retry.ts'

/** Options of a `Redlock`. All times are in ms. */
export type RedlockOptions = {
  /** The independent servers that vote: `{ url, token }`, `restNode(...)`, `upstashNode(...)`. */
  readonly nodes: readonly (RestNodeOptions | LockNode)[]
  /** How long a lock lives unless it is extended. Default 10,000. */
  readonly ttl?: number
  /** Share of the ttl that clocks may drift apart; 2 ms are added. Default 0.01. */
  readonly driftFactor?: number
  /** For one node's whole answer, body included. Default: 500, or half the ttl if that is less. */
  readonly nodeTimeout?: number
  /** How many nodes must agree. Default, and least: the majority. */
  readonly quorum?: number
  /** When `acquire` and `using` try again. Default `{ attempts: 10, minDelay: 50, maxDelay: 250 }`. */
  readonly retry?: Retry
  /** Begins every Redis key. Default `lock:`. */
  readonly prefix?: string
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
  readonly driftFactor: number
  readonly nodeTimeout: number | undefined
  readonly retry: Retry
  readonly prefix: string
  readonly clock: Clock
  readonly random: () => number
}

// Redis refuses expiry times near 2^63 ms; this is far beyond any lock, and safe in every sum.
const longest = 2 ** 47

/** Checks a time. @throws {TypeError | RangeError} when it is not an integer of ms above `least`. */
export const checkTime = (option: string, value: number, least = 0): void => {
  const fits = Number.isInteger(value) && value > least && value <= longest
  expect(fits, option, `an integer above ${least} (ms)`, value)
}

/** Checks a ttl: something of it must be left when the drift is deducted. */
export const checkTtl = (option: string, value: number, driftFactor: number): void =>
  checkTime(option, value, 2 / (1 - driftFactor))

const checkNodes = (nodes: RedlockOptions['nodes']): LockNode[] => {
  expect(Array.isArray(nodes) && nodes[0], 'nodes', 'a non-empty array of { url, token }', nodes)
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

const majorityOf = (nodes: readonly unknown[]): number => (nodes?.length >> 1) + 1

/** Checks the options of a `Redlock` and fills in the defaults. */
export const checkOptions = ({
  nodes: listed,
  ttl = 10_000,
  driftFactor = 0.01,
  nodeTimeout,
  retry = {},
  prefix = 'lock:',
  clock = systemClock,
  random = Math.random,
  quorum = majorityOf(listed),
}: RedlockOptions): Settings => {
  const nodes = checkNodes(listed)
  const majority = majorityOf(nodes)
  const isQuorum = Number.isInteger(quorum) && quorum >= majority && quorum <= nodes.length
  expect(isQuorum, 'quorum', `a majority, ${majority} to ${nodes.length}`, quorum)
  expect(driftFactor >= 0 && driftFactor <= 0.9, 'driftFactor', 'from 0 to 0.9', driftFactor)
  expect(typeof prefix === 'string', 'prefix', 'a string', prefix)
  checkTtl('ttl', ttl, driftFactor)
  retryFunction(retry, random)
  if (nodeTimeout !== undefined) checkTime('nodeTimeout', nodeTimeout)
  return {
    nodes,
    quorum,
    ttl,
    driftFactor,
    nodeTimeout,
    retry,
    prefix,
    clock,
    random,
  }
}
