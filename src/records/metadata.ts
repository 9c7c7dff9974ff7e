import type { NodeReport } from '../reports/node-report.ts'

// The metadata of the owner of a key, as lock.lua returns it to whoever is refused: `c FINGERPRINT` for a
// claim, `d TOKEN FINGERPRINT CONTENT` for a record. record.lua finds the token by the same pattern.

/** A record as a node returns it. */
export type StoredRecord = {
  /** The first characters of the value of the claim that wrote it. */
  readonly id: string
  /** The fencing token under which it was written. The record with the higher token counts. */
  readonly token: number
  /** Tells the payloads of requests apart. It has no spaces. */
  readonly fingerprint: string
  readonly content: string
  /** Ms for which the node still keeps it. */
  readonly ttl: number
}

/** The part of a record that its writer decides. */
export type Draft = Pick<StoredRecord, 'fingerprint' | 'content' | 'ttl'>

const recordPattern = /^d (\d{1,16}) (\S+) (.*)$/s

/** The metadata of a claim. */
export const claimMetadata = (fingerprint: string): string => `c ${fingerprint}`

/** The fingerprint of the claim that another holds on this node; undefined where there is none. */
export const claimFingerprint = ({ metadata }: NodeReport): string | undefined =>
  metadata?.startsWith('c ') ? metadata.slice(2) : undefined

/** The record in this answer of a node; undefined where it has none. */
export const recordOf = (answer: NodeReport | undefined): StoredRecord | undefined => {
  const [, token, fingerprint, content] = recordPattern.exec(answer?.metadata ?? '') ?? []
  if (!token) return undefined
  const { holder, ttl = 0 } = answer!
  return {
    id: holder!,
    token: Number(token),
    fingerprint: fingerprint!,
    content: content!,
    ttl,
  }
}

/** The text that stands in Redis for a record. */
export const recordText = ({
  id,
  token,
  fingerprint,
  content,
}: Omit<StoredRecord, 'ttl'>): string => `${id} d ${token} ${fingerprint} ${content}`
