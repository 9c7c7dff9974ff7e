import type { Check, NodeCheck } from './check.ts'
import { objectProduct } from '../../protocol/check-reply.ts'
import { about, type Diagnosis, type Finding, hint, diagnosisOf } from './finding.ts'

/** Groups the names of nodes with the same value. Omits groups of one. */
const groupsBy = (
  nodes: readonly NodeCheck[],
  valueOf: (node: NodeCheck) => string | undefined,
): string[][] => {
  const groups = new Map<string, string[]>()
  for (const node of nodes) {
    const value = valueOf(node)
    if (value) groups.set(value, [...(groups.get(value) ?? []), node.node])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

const sameDatabase = diagnosisOf(
  'same-database',
  'These nodes are one database: they hold the same data, and share one vote.',
  'Give each node a separate database. Replicas and regions of one database count as one.',
)

/** The finding for nodes with the same ID, if INFO does not show whether they are one database or copies. */
const sameIdentity = (key: string): Diagnosis =>
  diagnosisOf(
    'same-database',
    'These nodes are one database, or copies of one: they have the same ID, so they share one vote.',
    `Give each node a separate database. If a server started from a dump or a backup of another, start it empty, or run \`DEL ${key}\` on it.`,
  )

/** Facts that show that servers with the same data are separate. */
const evidence = ({ server }: NodeCheck): string => {
  const { run_id: run = '', tcp_port: port = '?', uptime_in_seconds: uptime = '?' } = server!.info
  return `run_id ${run.slice(0, 8)} on port ${port}, up for ${uptime} s`
}

/** The finding for separate servers that started from one dump, backup or image. */
const copiedData = (key: string, [first, ...copies]: readonly NodeCheck[]): Finding =>
  about(
    [first!.node, ...copies.map(({ node }) => node)],
    diagnosisOf(
      'copied-data',
      `These nodes are separate servers with copies of one database (${[first!, ...copies].map(evidence).join('; ')}). The copies have the same ID, so together they have one vote.`,
      `Start the copies empty; or run \`DEL ${key}\` on all of them except ${first!.node}, once they have been up for the longest TTL. Locks that are held stay held.`,
    ),
  )

/** Explains why nodes have the same ID. */
const sameId = (key: string, nodes: readonly NodeCheck[]): Finding => {
  const names = nodes.map(({ node }) => node)
  const runs = nodes.map(({ server }) => server!.info.run_id)
  if (!runs.every(Boolean)) return about(names, sameIdentity(key))
  // A replica has the same ID as its primary. As long as it replicates, the two are one database instead of copies.
  const arePrimaries = nodes.every(({ server }) => server!.info.role === 'master')
  const distinct = nodes.filter((_, index) => runs.indexOf(runs[index]) === index)
  return arePrimaries && distinct.length === nodes.length
    ? copiedData(key, nodes)
    : about(names, sameDatabase)
}

const sameServer = diagnosisOf(
  'same-server',
  'These nodes are databases of one server process: they fail and restart together.',
  'Use separate servers, on separate machines.',
)

/** The findings for nodes that are one database, or databases of one server. */
const duplicates = ({ nodes, identityKey }: Check): Finding[] => {
  const databases = groupsBy(nodes, ({ server }) => server?.identity)
  const isKnown = (names: readonly string[]): boolean =>
    databases.some((known) => names.every((name) => known.includes(name)))
  const servers = groupsBy(nodes, ({ server }) => server?.info.run_id)
  return [
    ...databases.map((names) =>
      sameId(
        identityKey,
        nodes.filter(({ node }) => names.includes(node)),
      ),
    ),
    ...servers.filter((names) => !isKnown(names)).map((names) => about(names, sameServer)),
  ]
}

const numberOfNodes = (count: number): Finding[] => {
  if (count > 2 && count % 2 === 1) return []
  const message =
    count === 1
      ? 'There is only one node: the lock is as available as this one server.'
      : `There are ${count} nodes. An even number survives no more failures than the odd number below it.`
  return [about([], hint('number-of-nodes', message, 'Use three or five independent databases.'))]
}

const onePlatform = hint(
  'one-platform',
  'All nodes are Durable Objects. They share the control plane of Cloudflare, whose failure stops all of them.',
  'Nothing, if you accept that. Otherwise use one object and two Redis servers of other providers.',
)

const fsync = hint(
  'fsync',
  'The append-only file keeps every lock only with `appendfsync always`, and a client cannot see that setting.',
  'Run `CONFIG GET appendfsync` on the server. If it is `always`, ignore this hint; otherwise mark the node `volatile: quarantine()`.',
)

const upstash = hint(
  'upstash',
  'The regions of one global Upstash database are replicas of each other, and together they are one node. A client cannot see whether a database has read regions.',
  'Look at each database in the Upstash console, or at `read_regions` and `eviction` in the reply of `GET https://api.upstash.com/v2/redis/database/<id>`: each node should be a separate database, without read regions and with eviction off.',
)

/** Hints about facts that only the user can look up. */
const hidden = (nodes: readonly NodeCheck[]): Finding[] => {
  const namesOf = (fits: (node: NodeCheck) => boolean): string[] =>
    nodes.filter(fits).map(({ node }) => node)
  return [
    about(
      namesOf(({ server, volatile }) => server?.info.aof_enabled === '1' && !volatile),
      fsync,
    ),
    about(
      namesOf(({ node }) => /\.upstash\.io(?:[:/]|$)/.test(node)),
      upstash,
    ),
  ].filter((finding) => finding.nodes.length > 0)
}

const isObject = ({ server }: NodeCheck): boolean => server?.info.redis_version === objectProduct

/** A hint that Durable Objects fail together when their platform fails. */
const platform = (nodes: readonly NodeCheck[]): Finding[] =>
  nodes.length > 1 && nodes.every(isObject) ? [about([], onePlatform)] : []

/** The findings about the nodes as a set. */
export const setFindings = (check: Check): Finding[] => [
  ...duplicates(check),
  ...numberOfNodes(check.nodes.length),
  ...platform(check.nodes),
  ...hidden(check.nodes),
]
