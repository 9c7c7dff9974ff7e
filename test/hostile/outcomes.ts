import { expect } from 'vitest'
import type { NodeReport } from '../../src/index.ts'
import type { Vote } from './judge.ts'
import type { World } from './world.ts'

/** A quorum of three. */
const quorum = 2

/** How an operation ended: a quorum said so, a quorum said no, or nobody knows. */
export type Outcome = 'yes' | 'no' | 'unknown'

/** That a quorum of nodes has sent such votes. */
export const expectQuorum = (votes: readonly Vote[], fits: (vote: Vote) => boolean): void =>
  expect(new Set(votes.filter(fits).map(({ node }) => node)).size).toBeGreaterThanOrEqual(quorum)

export const isGrant = ({ status }: Vote): boolean => status === 'granted'

/** Whether a report of a node is one, whatever the node said. */
const isReport = ({ status, ttl = 0, holder, metadata, fence = 0, error }: NodeReport): boolean =>
  /^(granted|locked|quarantined|absent|timeout|error)$/.test(status) &&
  Number.isSafeInteger(ttl) &&
  ttl >= 0 &&
  Number.isSafeInteger(fence) &&
  [holder, metadata].every((text) => text === undefined || typeof text === 'string') &&
  (holder ?? '').length <= 9 &&
  (error === undefined || (error instanceof Error && error.message.length <= 200)) &&
  Boolean(error) === /^(quarantined|timeout|error)$/.test(status)

export const checkReports = (nodes: readonly NodeReport[]): void =>
  expect(nodes.filter((report) => !isReport(report))).toEqual([])

export const checkTime = (time: number): void =>
  expect(time >= 0 && time <= Number.MAX_SAFE_INTEGER).toBe(true)

/** What a refusal or an error that tells of nodes may say. */
export const checkRefusal = (refusal: unknown): void => {
  const { nodes, retryAfter } = refusal as { nodes: NodeReport[]; retryAfter: number }
  checkReports(nodes)
  checkTime(retryAfter)
}

export type Operation = (world: World, turn: () => void) => Promise<Outcome>
