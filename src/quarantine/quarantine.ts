import type { LockNode, Quarantine } from '../nodes/node.ts'
import { streamServers } from '../nodes/rest-node.ts'
import { runKey } from '../protocol/keys.ts'
import { parseReply } from '../protocol/reply.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { checkBoolean, checkOptions } from '../util/validate.ts'
import { volatileScript } from './volatile-script.ts'

// The minimum time for which a volatile node abstains, in ms. After it, counters that restart from a
// clock that is up to 5 s off are above those that were lost.
const minTime = 11_000

// Why a node does not vote, by what its server lacks.
const reasons: ReadonlyMap<string, string> = new Map([
  ['TIME', 'does not vote: scripts must be allowed to run TIME'],
  [
    'run_id',
    'does not vote: INFO reports no run_id. Allow INFO, or see `quarantine({ withoutRunId: true })`',
  ],
])

/** Options of `quarantine`. */
export type QuarantineOptions = {
  /**
   * Whether a node votes although its server reports no `run_id` in INFO. Then a restart with older data
   * goes unnoticed. Default: false, so that such a node does not vote.
   */
  readonly withoutRunId?: boolean
}

/**
 * Makes a node `volatile`: its server may lose writes when it restarts or fails over, as without
 * `appendfsync always`. When the server is new, has restarted or has failed over, the node does not vote until
 * every lock that it may have granted has expired: for `maxTtl`, and for at least 11,000 ms.
 *
 * A restart is noticed by the `run_id` in the server's INFO, and a failover that is undone by the
 * `master_replid`. The server must also allow TIME in scripts.
 *
 * @throws `TypeError` when an option is unknown or wrong.
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
    over: (node, { prefix, maxTtl, driftFactor }) => {
      // Every lock that the node may have granted has expired by the end of the quarantine.
      const time = Math.ceil(Math.max(maxTtl * (1 + driftFactor), minTime))
      const key = prefix + runKey
      const settings = [`${time}`, withoutRunId ? '1' : '']
      const { name, resends, scope, volatile } = node
      const own: LockNode = {
        name,
        ...(resends && { resends }),
        scope,
        volatile,
        eval: async (script, keys, args, ...rest) => {
          const variant = volatileScript(script)
          if (!variant) return node.eval(script, keys, args, ...rest)
          const reply = await node.eval(variant, [...keys, key], [...args, ...settings], ...rest)
          const { status, holder } = parseReply((Array.isArray(reply) ? reply : []) as never)
          const reason = status === 'unfit' && reasons.get(holder)
          if (reason) throw new RedlockError(reason)
          return reply
        },
      }
      const server = streamServers.get(node)
      if (server) streamServers.set(own, server)
      return own
    },
  }
}
