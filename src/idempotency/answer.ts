import { fromBase64, toBase64 } from './bytes.ts'
import { type Collected, collect } from './collect.ts'
import type { BodyStore } from './body-store.ts'
import { getBody, putBody, type StoredBody } from './stored-body.ts'

/** A recorded answer, as it stands in the content of a record. */
type Answer = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body in base64. */
  readonly body?: string
  /** The body in the store. */
  readonly stored?: StoredBody | undefined
  /** True where the body was not kept. */
  readonly isDropped?: true
}

/** How answers are recorded and replayed. */
export type AnswerLimits = {
  /** The names of the recorded headers, in lower case. */
  readonly headers: readonly string[]
  /** Bytes of a body on the nodes. */
  readonly maxInline: number
  /** Bytes of a body in the store. */
  readonly maxBody: number
  readonly store: BodyStore | undefined
  /** Returns the ms to wait for the store. */
  readonly patience: () => number
  /** Ms to keep an answer. */
  readonly recordTtl: number
}

// Bytes of a whole record in JSON, as it comes from a node. A node reads replies of up to 64 KiB.
const maxContent = 56_000

/** The mark of a replay, as Stripe has it. */
const replayed = ['idempotent-replayed', 'true'] as const

// https://fetch.spec.whatwg.org/#null-body-status
export const hasNullBody = (status: number): boolean => [101, 103, 204, 205, 304].includes(status)

/** An answer that is about to be given. */
export type Written = {
  /** The content of its record. */
  readonly content: string
  /** The response to send, with all of its headers. */
  readonly response: Response
  /** Why it is recorded without its content, where the console is to show that. */
  readonly problem?: string | undefined
}

const tooLarge =
  'an answer is larger than `maxBody`, so a repeated request gets a 409 in its place. Raise `maxBody`, or use a `store`'

/** The content of a record of an answer that is not kept. */
export const droppedContent = (status: number): string =>
  JSON.stringify({ status, headers: [], isDropped: true } satisfies Answer)

const sizeInJson = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length

const bodyOf = async (
  collected: Collected,
  limits: AnswerLimits,
): Promise<Pick<Answer, 'body' | 'stored' | 'isDropped'>> => {
  if ('stream' in collected) return { isDropped: true }
  const { bytes } = collected
  if (bytes.length <= limits.maxInline) return { body: toBase64(bytes) }
  const stored = await putBody(limits.store!, bytes, limits.recordTtl, limits.patience())
  return stored ? { stored } : { isDropped: true }
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
  const fits = sizeInJson(content) <= maxContent
  const own = new Response(hasNullBody(status) ? null : sent, response)
  // A handler may pass on the answer of another service, which was a replay there.
  own.headers.delete(replayed[0])
  return {
    content: fits ? content : droppedContent(status),
    response: own,
    problem: 'stream' in collected || !fits ? tooLarge : undefined,
  }
}

/** The recorded response; or why there is none: it was not kept, or the store does not have it now. */
export type ReadAnswer = Response | 'not-kept' | 'unavailable'

/**
 * Makes the response of a record.
 *
 * @param names - The recorded headers. A lying node may have added others.
 * @param patience - Ms to wait for the store.
 */
export const readAnswer = async (
  content: string,
  names: readonly string[],
  store: BodyStore | undefined,
  patience: number,
): Promise<ReadAnswer> => {
  const { status, headers, body = '', stored, isDropped } = JSON.parse(content) as Answer
  if (isDropped) return 'not-kept'
  const bytes = stored ? await getBody(store, stored, patience) : fromBase64(body)
  if (!bytes) return 'unavailable'
  const all = [...headers.filter(([name]) => names.includes(name)), replayed]
  return new Response(hasNullBody(status) ? null : bytes, { status, headers: all as HeadersInit })
}
