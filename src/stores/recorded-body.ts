import { fromBase64, toBase64 } from '../util/bytes.ts'
import { type BodyStore, getBody, putBody, type StoredBody } from './body-store.ts'

/** A body as it stands in the content of a record. */
export type RecordedBody = {
  /** The body in base64. */
  readonly body?: string
  /** The body in the store. */
  readonly stored?: StoredBody | undefined
  /** True if the body was not kept. */
  readonly isDropped?: true
}

/** Where bodies go. */
export type BodyLimits = {
  /** Bytes of a body on the nodes. */
  readonly maxInline: number
  readonly store: BodyStore | undefined
  /** Returns the ms to wait for the store. */
  readonly patience: () => number
  /** Ms to keep a body. */
  readonly recordTtl: number
}

/** Keeps a body, on the nodes or in the store. */
export const writeBody = async (
  bytes: Uint8Array<ArrayBuffer>,
  { maxInline, store, patience, recordTtl }: BodyLimits,
): Promise<RecordedBody> => {
  if (bytes.length <= maxInline) return { body: toBase64(bytes) }
  const stored = store && (await putBody(store, bytes, recordTtl, patience()))
  return stored ? { stored } : { isDropped: true }
}

/**
 * Reads a body that was kept; undefined where the store does not have it now.
 *
 * @param patience - Ms to wait for the store.
 */
export const readBody = async (
  { body = '', stored }: RecordedBody,
  store: BodyStore | undefined,
  patience: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  stored ? getBody(store, stored, patience) : fromBase64(body)
