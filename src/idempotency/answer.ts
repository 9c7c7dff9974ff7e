import { fromBase64, sha256, toBase64 } from './bytes.ts'
import { type Collected, collect } from './collect.ts'
import type { RecordStore } from './record-store.ts'

/** A recorded answer, as it stands in the content of a record. */
type Answer = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body in base64. */
  readonly body?: string
  /** Where the body is in the store, and how to recognise it. */
  readonly stored?: { readonly id: string; readonly sha256: string }
  /** True where the body was not kept. */
  readonly isDropped?: true
}

/** How answers are recorded. */
export type AnswerLimits = {
  /** The names of the recorded headers. */
  readonly headers: readonly string[]
  /** Bytes of a body on the nodes. */
  readonly maxInline: number
  /** Bytes of a body in the store. */
  readonly maxBody: number
  readonly store: RecordStore | undefined
  /** Ms to keep it. */
  readonly ttl: number
}

// Characters of a whole record. A node reads replies of up to 64 KiB.
const maxContent = 56_000

// https://fetch.spec.whatwg.org/#null-body-status
const isEmpty = (status: number): boolean => [101, 103, 204, 205, 304].includes(status)

/** An answer that is about to be given. */
export type Written = {
  /** The content of its record. */
  readonly content: string
  /** The response to send, with all of its headers. */
  readonly response: Response
  /** Whether its body is larger than the limits. */
  readonly isTooLarge: boolean
}

/** Stores a body. A store that fails must not make the request run again. */
const storeBody = async (
  bytes: Uint8Array<ArrayBuffer>,
  { store, ttl }: AnswerLimits,
): Promise<Pick<Answer, 'stored' | 'isDropped'>> => {
  const stored = { id: crypto.randomUUID(), sha256: await sha256(bytes) }
  for (let tries = 2; tries > 0; tries--) {
    try {
      await store!.put(stored.id, bytes, ttl)
      return { stored }
    } catch {
      // The second failure drops the body.
    }
  }
  return { isDropped: true }
}

const bodyOf = async (
  collected: Collected,
  limits: AnswerLimits,
): Promise<Pick<Answer, 'body' | 'stored' | 'isDropped'>> => {
  if ('stream' in collected) return { isDropped: true }
  const { bytes } = collected
  if (bytes.length <= limits.maxInline) return { body: toBase64(bytes) }
  return storeBody(bytes, limits)
}

/**
 * Reads a response, up to the limits. A body that is too long is not recorded, but sent.
 *
 * @throws the error of its body.
 */
export const writeAnswer = async (response: Response, limits: AnswerLimits): Promise<Written> => {
  const { status } = response
  const collected = await collect(response.body, limits.maxBody)
  const headers = limits.headers.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const answer: Answer = { status, headers, ...(await bodyOf(collected, limits)) }
  const content = JSON.stringify(answer)
  const sent = 'bytes' in collected ? collected.bytes : collected.stream
  const fits = content.length <= maxContent
  return {
    content: fits
      ? content
      : JSON.stringify({ status, headers: [], isDropped: true } satisfies Answer),
    isTooLarge: 'stream' in collected || !fits,
    response: new Response(isEmpty(status) ? null : sent, response),
  }
}

/** The recorded response; or why there is none: it was not kept, or the store does not have it now. */
export type ReadAnswer = Response | 'not-kept' | 'unavailable'

// Ms after which a store is asked again: some are late with what was written elsewhere.
const pauses = [0, 100, 400]

const loadBody = async (
  { id, sha256: digest }: NonNullable<Answer['stored']>,
  store: RecordStore | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  for (const pause of pauses) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    try {
      const bytes = await store?.get(id)
      if (bytes && (await sha256(bytes)) === digest) return bytes
    } catch {
      // Asked again.
    }
  }
  return undefined
}

/** Makes the response of a record. */
export const readAnswer = async (
  content: string,
  store: RecordStore | undefined,
): Promise<ReadAnswer> => {
  const { status, headers, body = '', stored, isDropped } = JSON.parse(content) as Answer
  if (isDropped) return 'not-kept'
  const bytes = stored ? await loadBody(stored, store) : fromBase64(body)
  if (!bytes) return 'unavailable'
  const init = { status, headers: [...headers, replayed].map(([name, value]) => [name, value]) }
  return new Response(isEmpty(status) ? null : bytes, init as ResponseInit)
}

// As Stripe marks them.
const replayed = ['idempotent-replayed', 'true'] as const
