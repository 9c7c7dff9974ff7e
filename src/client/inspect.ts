import { checkKeys, locks, type Namespace, throttles } from '../protocol/keys.ts'
import { foreign } from '../protocol/reply.ts'
import { recordOf } from '../core/claim/reading.ts'
import { records } from '../core/claim/rounds.ts'
import { clientOf, type Redlock } from './redlock.ts'
import type { NodeReport } from '../core/results/node-report.ts'
import { checkChoice, checkOptions } from '../util/validate.ts'
import { runRound } from '../core/drive.ts'
import { readOnlyAttempt } from '../core/attempt.ts'
import { inspecting } from '../core/operations.ts'
import { readRule } from '../core/rules/held.ts'
import {
  answered,
  freeIn,
  isEndless,
  isOutage,
  quorumHolder,
  tallyOf,
  withoutMetadata,
} from '../core/quorum.ts'

export type InspectOptions = {
  /**
   * The type of the key: a `lock`, a `throttle` window, or the `claim` of an idempotent request or of `once`. Events
   * use the same names. Default: `lock`.
   */
  readonly kind?: 'lock' | 'throttle' | 'claim' | undefined
}

/** The state of a lock, according to the nodes. */
export type Inspection = {
  /**
   * - `locked`: one client holds the lock on a majority of the nodes.
   * - `recorded`: the result of a claim is recorded.
   * - `foreign`: the key holds data that is not a lock of this library, or a lock that never expires. Delete it, or use
   *   another prefix.
   * - `free`: no holder was seen on a majority. Nodes that failed to answer may still have one.
   * - `unavailable`: too few nodes answered to tell.
   */
  readonly state: 'locked' | 'recorded' | 'foreign' | 'free' | 'unavailable'
  /**
   * Ms until a quorum of nodes can be free, unless the lock is extended: 0 if it is free, `Infinity` if data never
   * expires.
   */
  readonly ttl: number
  /** The `id` of the holder's lock. */
  readonly holder?: string | undefined
  /** The holder's `metadata`. */
  readonly metadata?: string | undefined
  /** The report of each node: `locked`, with the remaining time and the holder; `absent`; or how the node failed. */
  readonly nodes: readonly NodeReport[]
}

const namespaces: Readonly<Record<string, Namespace>> = {
  lock: locks,
  throttle: throttles,
  claim: records,
}

const checks = { kind: checkChoice('lock', 'throttle', 'claim') }

/**
 * Asks every node who holds the lock, and for how long. Waits for all nodes, and changes no lock. (As with any call, a
 * server without an ID stores a new one.) A lock or a throttle with a `limit` has a key for each slot: `import#1`,
 * `import#2` and so on.
 *
 * @param key - A resource, or several that are locked together.
 * @throws `TypeError` if an argument is wrong; the message names it.
 * @example
 * ```ts
 * const { state, holder, metadata, ttl, nodes } = await inspect(redlock, 'report:7')
 * ```
 */
export const inspect = async (
  redlock: Redlock,
  key: string | readonly string[],
  options: InspectOptions = {},
): Promise<Inspection> => {
  const client = clientOf(redlock)
  const keys = checkKeys(key)
  checkOptions('inspect()', options, checks)
  const { kind = 'lock' } = options
  const { quorum } = client
  const attempt = readOnlyAttempt(client, namespaces[kind]!, keys)
  const { answers } = await runRound(attempt, { operation: inspecting, rule: readRule })
  const holder = quorumHolder(answers, quorum)
  const nodes = answered(answers)
  if (isOutage(tallyOf(answers), answers, quorum)) return { state: 'unavailable', ttl: 0, nodes }
  if (!holder) return { state: 'free', ttl: 0, nodes }
  if (holder.status === foreign) {
    const isEternal = answers.some((one) => one && isEndless(one))
    return { state: foreign, ttl: isEternal ? Infinity : freeIn(answers, quorum, 1), nodes }
  }
  const held = { ttl: freeIn(answers, quorum, 1), holder: holder.holder }
  // The metadata of a record contains the response to the request, so it is not shown.
  if (kind === 'claim') {
    const state = recordOf(holder) ? 'recorded' : 'locked'
    return { state, ...held, nodes: withoutMetadata(nodes) }
  }
  return { state: 'locked', ...held, metadata: holder.metadata, nodes }
}
