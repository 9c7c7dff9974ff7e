import { type Answers, quorumHolder } from '../vote/tally.ts'
import type { NodeReport } from '../reports/node-report.ts'
import { claimFingerprint, recordOf, recordText, type StoredRecord } from './metadata.ts'

/** The answers of nodes, by rank. */
export type Reports = readonly (NodeReport | undefined)[]

const recordsOf = (answers: Reports): StoredRecord[] =>
  answers.flatMap((answer) => recordOf(answer) ?? [])

/** The record with the highest token; undefined where no node has returned one. */
export const latestRecord = (answers: Reports): StoredRecord | undefined =>
  recordsOf(answers).reduce<StoredRecord | undefined>(
    (latest, one) => (latest && latest.token >= one.token ? latest : one),
    undefined,
  )

/**
 * The record that a quorum of nodes has returned: nothing can replace it by another content. It lives as
 * long as on the node that drops it first.
 */
export const decidedRecord = (answers: Reports, quorum: number): StoredRecord | undefined => {
  const records = recordsOf(answers)
  for (const record of records) {
    const same = records.filter((other) => recordText(other) === recordText(record))
    if (same.length >= quorum) return { ...record, ttl: Math.min(...same.map(({ ttl }) => ttl)) }
  }
  return undefined
}

/** Whether the answer shows that the node has no such record. */
const lacks = (answer: NodeReport | undefined, record: StoredRecord): boolean =>
  answer !== undefined && !answer.error && (recordOf(answer)?.token ?? -1) < record.token

/** Whether the answer to a record shows that the node lacks it. */
export const lacksCompleted = (answer: NodeReport | undefined, record: StoredRecord): boolean =>
  answer?.status !== 'granted' && lacks(answer, record)

/** The nodes that show what they have, and lack the record. */
export const nodesWithout = (answers: Reports, record: StoredRecord): number[] =>
  [...answers.keys()].filter((index) => lacks(answers[index], record))

/**
 * The fingerprint of the claim that a quorum of nodes has; undefined where none has a quorum. A claim on fewer
 * nodes may be about to be given up, and says nothing about the key.
 */
export const claimedFingerprint = (answers: Answers, quorum: number): string | undefined => {
  const holder = quorumHolder(answers, quorum)
  return holder && claimFingerprint(holder)
}

/** Whether the node has promised to accept no lower token: it granted the key, or has a record there. */
export const hasPromised = (answer: NodeReport | undefined): boolean =>
  answer?.status === 'granted' || recordOf(answer) !== undefined

/** The counter that a quorum of nodes has promised exactly; undefined while they differ. */
export const promisedToken = (answers: Reports, quorum: number): number | undefined => {
  const counters = answers.flatMap((answer) => (hasPromised(answer) ? answer!.fence! : []))
  return counters.find((one) => counters.filter((other) => other === one).length >= quorum)
}
