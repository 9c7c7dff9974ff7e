import { type Answers, quorumHolder } from '../quorum.ts'
import type { NodeReport } from '../results/node-report.ts'

// The metadata that lock.lua returns with a rejection: `c FINGERPRINT` for a claim, and `d TOKEN FINGERPRINT CONTENT`
// for a record. The script record.lua finds the token with the same pattern.

/** A record, as a node returns it. */
export type StoredRecord = {
  /** The public ID of the claim that wrote the record. */
  readonly id: string
  /** The fencing token with which the record was written. The record with the highest token counts. */
  readonly token: number
  /** Distinguishes the payloads of requests. Contains no spaces. */
  readonly fingerprint: string
  readonly content: string
  /** Time until the record expires on the node, in ms. */
  readonly ttl: number
}

/** The part of a record that its writer chooses. */
export type Draft = Pick<StoredRecord, 'fingerprint' | 'content' | 'ttl'>

const recordPattern = /^d (\d{1,16}) (\S+) /

// The maximum length of the part of a record before its content, in characters. The pattern is not applied to the
// content, which may be long.
const maxHead = 300

/** The metadata of a claim. */
export const claimMetadata = (fingerprint: string): string => `c ${fingerprint}`

/** The fingerprint of another owner's claim on this node; undefined if there is none. */
export const claimFingerprint = ({ metadata }: NodeReport): string | undefined =>
  metadata?.startsWith('c ') ? metadata.slice(2) : undefined

/** The record in this answer of a node; undefined if there is none. */
export const recordOf = (answer: NodeReport | undefined): StoredRecord | undefined => {
  const metadata = answer?.metadata ?? ''
  const [head, token, fingerprint] = recordPattern.exec(metadata.slice(0, maxHead)) ?? []
  if (!head) return undefined
  const { holder, ttl = 0 } = answer!
  return {
    id: holder!,
    token: Number(token),
    fingerprint: fingerprint!,
    content: metadata.slice(head.length),
    ttl,
  }
}

/** A record as text, as Redis stores it. */
export const recordText = ({
  id,
  token,
  fingerprint,
  content,
}: Omit<StoredRecord, 'ttl'>): string => `${id} d ${token} ${fingerprint} ${content}`

/** The answers of nodes, by rank. */
export type Reports = readonly (NodeReport | undefined)[]

const recordsOf = (answers: Reports): StoredRecord[] =>
  answers.flatMap((answer) => recordOf(answer) ?? [])

/** The record with the highest token; undefined if no node has returned a record. */
export const latestRecord = (answers: Reports): StoredRecord | undefined =>
  recordsOf(answers).sort((one, other) => other.token - one.token)[0]

/**
 * The record that a quorum of nodes has returned, so that no other content can replace it. Its TTL is the shortest one
 * among those nodes.
 */
export const decidedRecord = (answers: Reports, quorum: number): StoredRecord | undefined => {
  const records = recordsOf(answers)
  for (const record of records) {
    const same = records.filter((other) => recordText(other) === recordText(record))
    if (same.length >= quorum) return { ...record, ttl: Math.min(...same.map(({ ttl }) => ttl)) }
  }
  return undefined
}

/** Whether the answer shows that the node has neither this record nor a later one. */
const lacks = (answer: NodeReport | undefined, record: StoredRecord): boolean =>
  answer !== undefined && !answer.error && (recordOf(answer)?.token ?? -1) < record.token

/** Whether the answer to a write shows that the node lacks the record. */
export const lacksCompleted = (answer: NodeReport | undefined, record: StoredRecord): boolean =>
  answer?.status !== 'accepted' && lacks(answer, record)

/** The nodes that have answered and lack the record. */
export const nodesWithout = (answers: Reports, record: StoredRecord): number[] =>
  [...answers.keys()].filter((index) => lacks(answers[index], record))

/**
 * The fingerprint of the claim that a quorum of nodes holds; undefined if no claim has a quorum. A claim on fewer nodes
 * may soon be released, so it does not count.
 */
export const claimedFingerprint = (answers: Answers, quorum: number): string | undefined => {
  const holder = quorumHolder(answers, quorum)
  return holder && claimFingerprint(holder)
}

/**
 * Whether the node has promised to reject lower tokens. A node promises this when it grants the key, and also if the
 * key holds a record.
 */
export const hasPromised = (answer: NodeReport | undefined): boolean =>
  answer?.status === 'granted' || recordOf(answer) !== undefined

/** The counter that a quorum of nodes has promised; undefined while no quorum agrees on one. */
export const promisedToken = (answers: Reports, quorum: number): number | undefined => {
  const counters = answers.flatMap((answer) => (hasPromised(answer) ? answer!.fence! : []))
  return counters.find((one) => counters.filter((other) => other === one).length >= quorum)
}
