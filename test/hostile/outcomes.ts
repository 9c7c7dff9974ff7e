import { expect } from 'vitest'
import type { NodeReport } from '../../src/index.ts'
import type { Vote } from './judge.ts'
import type { World } from './world.ts'

/** The quorum of three nodes. */
const quorum = 2

/** How an operation ended: a quorum confirmed it, a quorum denied it, or neither. */
export type Outcome = 'yes' | 'no' | 'unknown'

/** Expects such votes from a quorum of nodes. */
export const expectQuorum = (votes: readonly Vote[], fits: (vote: Vote) => boolean): void =>
  expect(new Set(votes.filter(fits).map(({ node }) => node)).size).toBeGreaterThanOrEqual(quorum)

export const isGrant = ({ status }: Vote): boolean => status === 'granted'

/** Whether a report is well-formed, whatever the node sent. */
const isReport = ({ status, ttl = 0, holder, metadata, fence = 0, error }: NodeReport): boolean =>
  /^(granted|held|released|accepted|forgotten|locked|foreign|quarantined|absent|duplicate|timeout|error)$/.test(
    status,
  ) &&
  Number.isSafeInteger(ttl) &&
  ttl >= 0 &&
  Number.isSafeInteger(fence) &&
  [holder, metadata].every((text) => text === undefined || typeof text === 'string') &&
  (holder ?? '').length <= 9 &&
  (error === undefined || (error instanceof Error && error.message.length <= 200)) &&
  Boolean(error) === /^(quarantined|duplicate|timeout|error)$/.test(status)

export const checkReports = (nodes: readonly NodeReport[]): void =>
  expect(nodes.filter((report) => !isReport(report))).toEqual([])

export const checkTime = (time: number): void =>
  expect(time >= 0 && time <= Number.MAX_SAFE_INTEGER).toBe(true)

/** Checks a rejection, or an error with reports of nodes. */
export const checkRejection = (rejection: unknown): void => {
  const { nodes, retryAfter } = rejection as { nodes: NodeReport[]; retryAfter: number }
  checkReports(nodes)
  checkTime(retryAfter)
}

export type Operation = (world: World, turn: () => void) => Promise<Outcome>
