import type { Quarantine } from '../../protocol/node.ts'
import { runKey } from '../../protocol/keys.ts'
import { checkBoolean, checkOptions } from '../../util/validate.ts'
import { volatileScript } from './volatile-script.ts'

// The minimum time for which a volatile node abstains, in ms. After this time, counters that restart from a clock
// exceed the lost ones, even if that clock is off by up to 5 s.
const minTime = 11_000

// The reasons why a node does not vote, by the feature that its server lacks.
const reasons = {
  TIME: 'does not vote: scripts must be allowed to run TIME',
  run_id:
    'does not vote: INFO reports no run_id. Allow INFO, or see `quarantine({ withoutRunId: true })`',
}

/** Options of `quarantine`. */
export type QuarantineOptions = {
  /**
   * Whether a node votes even if INFO on its server contains no `run_id`. A restart with older data then goes
   * unnoticed. Default: false, so the node does not vote.
   */
  readonly withoutRunId?: boolean
}

/**
 * Makes a node `volatile`: its server may lose writes when it restarts or fails over, for example without `appendfsync
 * always`. If the server is new, has restarted or has failed over, the node abstains until all locks that it may have
 * granted have expired. This takes `maxTtl`, and at least 11,000 ms.
 *
 * The node detects a restart from the `run_id` in the server's INFO, and a failover to a replica and back from the
 * `master_replid`. The server must also allow TIME in scripts.
 *
 * @throws `TypeError` if an option is unknown or wrong.
 * @example
 * ```ts
 * const redlock = new Redlock({
 *   nodes: nodes.map((node) => ({ ...node, volatile: quarantine() })),
 * })
 * ```
 */
export const quarantine = (options: QuarantineOptions = {}): Quarantine => {
  const { withoutRunId = false } = checkOptions('quarantine()', options, {
    withoutRunId: checkBoolean,
  })
  return {
    withoutRunId,
    guard: ({ prefix, maxTtl, driftFactor }) => {
      const key = prefix + runKey
      // Long enough for every lock that the node may have granted to expire.
      const time = Math.ceil(Math.max(maxTtl * (1 + driftFactor), minTime))
      return {
        key,
        time,
        withoutRunId,
        scriptOf: volatileScript,
        reasonOf: (lacking) => (Object.hasOwn(reasons, lacking) ? reasons[lacking] : undefined),
      }
    },
  }
}
