import type { Check, NodeCheck } from './check.ts'
import { lockErrorOf } from './node-findings.ts'

/** The number of nodes that work, and the number of failures that locks survive. */
export type Redundancy = {
  /** The number of nodes that replied and vote. Nodes that are one database, or copies of one, count once. */
  readonly distinct: number
  /** The number of servers that can fail before locks become unavailable; below 0 if they are unavailable now. */
  readonly survives: number
}

const hasVote = ({ server, volatile }: NodeCheck): boolean => {
  if (!server || server.rejected.write !== '') return false
  return !volatile || (server.rejected.time === '' && (volatile !== true || !!server.info.run_id))
}

/** Counts the independent nodes, and the failures after which a majority of all nodes is left. */
export const redundancyOf = ({ nodes, lock }: Check): Redundancy => {
  const isWell = ({ node }: NodeCheck): boolean =>
    !lockErrorOf(lock.nodes.find((one) => one.node === node))
  // The number of databases of each server process. Databases of one process fail together.
  const servers = new Map<string, number>()
  const counted = new Set<string>()
  for (const { server } of nodes.filter((node) => hasVote(node) && isWell(node))) {
    const { identity, info } = server!
    // A round counts one reply per server ID, and servers that started from the same dump have the same ID.
    if (counted.has(identity)) continue
    counted.add(identity)
    const process = info.run_id || identity
    servers.set(process, (servers.get(process) ?? 0) + 1)
  }
  const largestFirst = [...servers.values()].sort((a, b) => b - a)
  const distinct = largestFirst.reduce((sum, size) => sum + size, 0)
  let left = distinct
  let survives = -1
  for (const size of [...largestFirst, 0]) {
    if (left <= nodes.length / 2) break
    left -= size
    survives++
  }
  return { distinct, survives }
}
