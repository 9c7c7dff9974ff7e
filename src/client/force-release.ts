import { inspect } from './inspect.ts'
import { checkKeys, locks, throttles } from '../protocol/keys.ts'
import { forgetLua, withLua } from '../redis/commands.ts'
import { clientOf, type Redlock } from './redlock.ts'
import { outageOf } from '../core/results/errors.ts'
import type { NodeReport } from '../core/results/node-report.ts'
import { assertOption, checkChoice, checkOptions } from '../util/validate.ts'
import { runRound } from '../core/drive.ts'
import { type Attempt, readOnlyAttempt } from '../core/attempt.ts'
import { tombstoneTtl } from '../core/operations.ts'
import { readRule } from '../core/rules/held.ts'
import { answered, isOutage, tallyOf } from '../core/quorum.ts'

export type ForceReleaseOptions = {
  /** The `id` of the holder to remove, so that a lock acquired in the meantime stays. Default: the current holder. */
  readonly id?: string | undefined
  /** The type of the key: a `lock`, or a `throttle`, whose window then opens. Default: `lock`. */
  readonly kind?: 'lock' | 'throttle' | undefined
}

/** The result of a forced release. */
export type ForcedRelease = {
  /**
   * - `released`: the holder was removed.
   * - `free`: there was no holder.
   * - `kept`: clients with another `id` hold the lock, or a key holds foreign data, which is never deleted. In a call
   *   without an `id`, nothing has changed.
   */
  readonly state: 'released' | 'free' | 'kept'
  /**
   * The answer of each node: `forgotten` if the node removed the holder, or `absent` if it had none. If the key holds
   * something else, the answer is `locked` or `foreign`.
   */
  readonly nodes: readonly NodeReport[]
}

const checks = {
  kind: checkChoice('lock', 'throttle'),
  id: (option: string, given: unknown) =>
    assertOption(
      typeof given === 'string' && /^[!-~]{8}$/.test(given),
      option,
      'the `id` of a lock: 8 characters',
      given,
    ),
}

/**
 * Frees a lock whose holder is stuck: a tool for operators. A majority of the nodes removes the holder. The holder's
 * next extension then fails, and its `lock.signal` aborts with a `LockLostError`. The error mentions the forced
 * release, unless another client has acquired the lock since. Until then the holder keeps working, and only a fencing
 * token prevents its writes.
 *
 * An isolate that has cached a closed throttle window keeps rejecting calls for a second. If the call that passed was
 * its own, it keeps rejecting until the window ends.
 *
 * @param key - A resource, or several that are locked together.
 * @throws `QuorumError` if too few nodes answered. The nodes that did answer may have removed the holder.
 * @throws `TypeError` if an argument is wrong; the message names it.
 * @example
 * ```ts
 * const { holder } = await inspect(redlock, 'report:7')
 * await forceRelease(redlock, 'report:7', { id: holder })
 * ```
 */
export const forceRelease = async (
  redlock: Redlock,
  key: string | readonly string[],
  options: ForceReleaseOptions = {},
): Promise<ForcedRelease> => {
  const keys = checkKeys(key)
  checkOptions('forceRelease()', options, checks)
  const { id, kind = 'lock' } = options
  const attempt = readOnlyAttempt(clientOf(redlock), kind === 'throttle' ? throttles : locks, keys)
  if (id !== undefined) return forgetHolder(attempt, id)
  // Each key may have a different holder, but a node names only one. All keys are inspected before the first holder is
  // removed. Otherwise, a client that acquires a key freed here would lose it again.
  const seen = await Promise.all(keys.map((one) => inspect(redlock, one, { kind })))
  const nodes = seen.flatMap((one) => one.nodes)
  if (seen.some(({ state }) => state === 'unavailable')) {
    throw outageOf(keys, nodes)
  }
  // With one foreign key, freeing the other keys would not free the lock.
  if (seen.some(({ state }) => state === 'foreign')) return { state: 'kept', nodes }
  let result: ForcedRelease = { state: 'free', nodes }
  // Each holder is removed by its ID, so that a delayed request cannot free a lock that was acquired later.
  for (const holder of new Set(nodes.flatMap((one) => one.holder ?? []))) {
    const forgotten = await forgetHolder(attempt, holder)
    if (result.state !== 'released') result = forgotten
  }
  return result
}

/** Removes one holder from the nodes. */
const forgetHolder = async (attempt: Attempt, id: string): Promise<ForcedRelease> => {
  const { client, keys } = attempt.subject
  const { answers } = await runRound(attempt, {
    operation: {
      make: (about) => withLua(forgetLua, { op: 'forget', ...about, holder: id, tombstoneTtl }),
      frees: true,
    },
    rule: readRule,
  })
  const nodes = answered(answers)
  if (isOutage(tallyOf(answers), answers, client.quorum)) {
    throw outageOf(keys, nodes)
  }
  const count = (status: NodeReport['status']): number =>
    nodes.filter((one) => one.status === status).length
  // The removed holder may only have held a minority of the nodes after losing a split vote. Then the lock stays.
  const taken = count('locked') + count('foreign')
  const isKept = taken >= client.quorum || (count('forgotten') === 0 && taken > 0)
  return { state: isKept ? 'kept' : count('forgotten') > 0 ? 'released' : 'free', nodes }
}
