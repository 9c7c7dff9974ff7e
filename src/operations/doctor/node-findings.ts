import type { NodeCheck } from './check.ts'
import { isForeignId, type ServerFacts } from '../../protocol/check-reply.ts'
import type { NodeReport } from '../../core/results/node-report.ts'
import { explainError } from './explain-error.ts'
import { type Diagnosis, hint, diagnosisOf } from './finding.ts'

/** The latency above which a node is too slow for a lock, in ms. */
const maxLatency = 1000

const grantTwice = 'and the lock is granted to a second holder while the first still has it'

/** A node whose server has replied. */
type Asked = { readonly server: ServerFacts; readonly volatile: NodeCheck['volatile'] }

const isFinding = (found: Diagnosis | false | undefined): found is Diagnosis => Boolean(found)

/** Reports operations that the server rejects. */
const rejections = ({ server: { rejected }, volatile }: Asked): (Diagnosis | false)[] => [
  rejected.write !== '' &&
    (/script|^WRONGTYPE/.test(rejected.write)
      ? explainError(rejected.write)
      : diagnosisOf(
          'read-only',
          `The server rejects writes: ${rejected.write}.`,
          /OOM/.test(rejected.write)
            ? 'Free memory, or raise `maxmemory`.'
            : 'Use a primary that accepts writes, and a token with write access.',
        )),
  rejected.time !== '' &&
    diagnosisOf(
      'time-rejected',
      `The server rejects TIME (${rejected.time}), so its fencing tokens follow the clocks of clients${volatile ? ', and the volatile node does not vote: it cannot measure its quarantine' : ''}.`,
      'Allow the command TIME: `ACL SETUSER <user> +time`, or remove its `rename-command`.',
    ),
  rejected.info !== '' &&
    (volatile === true ? diagnosisOf : hint)(
      'info-rejected',
      `The server rejects INFO (${rejected.info}), so its role, eviction and persistence are unknown${volatile === true ? '. This volatile node does not vote, since a restart would go unnoticed' : ''}.`,
      'Allow the command INFO: `ACL SETUSER <user> +info`.',
    ),
]

/** Reports foreign data in the key that should hold the server ID. */
const identityOf = ({ server: { identity, rejected } }: Asked): Diagnosis | false =>
  rejected.write === '' &&
  isForeignId(identity) &&
  diagnosisOf(
    'foreign-data',
    'The key for the server ID holds data from another program, so servers cannot be distinguished.',
    'Use another `prefix`, the same for all clients, or delete that key: `DEL <prefix>id`.',
  )

/** Reports problems in the server's configuration. */
const configuration = ({ server, volatile }: Asked): (Diagnosis | false | undefined)[] => {
  const { info, rejected } = server
  return [
    /^(slave|replica)$/.test(info.role ?? '') &&
      diagnosisOf(
        'replica',
        'The server is a replica: it copies its data from another server with a delay, so its vote is not independent.',
        'Use the URL of the primary, or a server that replicates nothing.',
      ),
    // Without a memory limit, Redis evicts nothing.
    info.maxmemory_policy !== undefined &&
      info.maxmemory_policy !== 'noeviction' &&
      info.maxmemory !== '0' &&
      diagnosisOf(
        'eviction',
        `The server evicts keys when its memory is full (${info.maxmemory_policy}). A lock that is evicted is free, ${grantTwice}.`,
        'Set `maxmemory-policy noeviction`, or switch eviction off in the console of the provider.',
      ),
    info.aof_enabled === '0' &&
      !volatile &&
      diagnosisOf(
        'not-persistent',
        `The server has no append-only file. A restart loses locks, ${grantTwice}.`,
        'Mark the node `volatile: quarantine()`, or set `appendonly yes` and `appendfsync always`.',
      ),
    volatile === true &&
      rejected.info === '' &&
      !info.run_id &&
      diagnosisOf(
        'no-run-id',
        'The node is volatile, but its server reports no `run_id`. It does not vote, since a restart would go unnoticed.',
        'Use a server that reports `run_id` in INFO, or one that keeps its data; or accept the risk with `quarantine({ withoutRunId: true })`.',
      ),
    info.cluster_enabled === '1' &&
      hint(
        'cluster',
        'The server runs in cluster mode. A lock works only if all of its keys are in one slot, and a failover may lose locks.',
        "Give the prefix a hash tag, the same for all clients (`prefix: '{lock}:'`), and mark the node `volatile: quarantine()`.",
      ),
  ]
}

/**
 * The error that prevented the node's vote for the throw-away lock. Undefined if there was no error, or if the node is
 * a duplicate or quarantined.
 */
export const lockErrorOf = (report: NodeReport | undefined): Error | undefined =>
  // A duplicate is not an error of this node: `setFindings` reports both nodes.
  report && !/^(?:duplicate|quarantined)$/.test(report.status) ? report.error : undefined

/** The finding that explains why the node did not vote for the throw-away lock. */
const vote = (report: NodeReport | undefined): Diagnosis | undefined => {
  if (report?.status === 'quarantined') {
    const seconds = Math.ceil((report.ttl ?? 0) / 1000)
    return hint(
      'quarantined',
      `The node does not vote for another ${seconds} s, since its server is new or has restarted.`,
      'Nothing: it votes again afterwards.',
    )
  }
  const error = lockErrorOf(report)
  return error && explainError(error.message)
}

/** The findings about one node; `report` describes its part in the throw-away lock. */
export const nodeFindings = (
  { error, server, latency = 0, volatile }: NodeCheck,
  report: NodeReport | undefined,
): Diagnosis[] => {
  if (error !== undefined || !server) return [explainError(error ?? 'no reply')]
  const asked = { server, volatile }
  const findings = [...configuration(asked), ...rejections(asked), identityOf(asked)].filter(
    isFinding,
  )
  // A replica rejects every write, so `read-only` would add nothing.
  const isReplica = findings.some(({ code }) => code === 'replica')
  const known = findings.filter(({ code }) => !isReplica || code !== 'read-only')
  // These findings do not explain why the node did not vote. Eviction and a restart lose a lock only later, and only
  // volatile nodes need TIME to vote.
  const explainsNothing = volatile
    ? /^(?:eviction|not-persistent)$/
    : /^(?:eviction|not-persistent|time-rejected)$/
  const isExplained = known.some(
    ({ level, code }) => level === 'problem' && !explainsNothing.test(code),
  )
  const slow =
    latency > maxLatency &&
    hint(
      'slow',
      `A request takes ${latency} ms.`,
      'Choose a region that is nearer, or raise `nodeTimeout` and `ttl`.',
    )
  return [...known, !isExplained && vote(report), slow].filter(isFinding)
}
