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

// Bytes of a whole record in JSON, as it comes from a node. A node reads replies of up to 64 KiB.
const maxContent = 56_000

// Ms for one call of the store, so that one which hangs costs an answer its record, and not its client.
const [putTimeout, getTimeout] = [15_000, 5_000]

/** Rejects if the work takes longer than so many ms. */
const within = async <T>(limit: number, work: T | PromiseLike<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The store did not answer in time')), limit)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

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
const droppedContent = (status: number): string =>
  JSON.stringify({ status, headers: [], isDropped: true } satisfies Answer)

/** The record of an answer that could not be read: the request must not run again because of that. */
export const unreadableAnswer = (): Written => ({
  content: droppedContent(200),
  response: new Response(null),
  problem:
    'the status, a header or the body of a result cannot be read, so a repeated request gets a 409 in its place',
})

const sizeInJson = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length

/** Stores a body. A store that fails must not make the request run again. */
const storeBody = async (
  bytes: Uint8Array<ArrayBuffer>,
  { store, ttl }: AnswerLimits,
): Promise<Pick<Answer, 'stored' | 'isDropped'>> => {
  const stored = { id: crypto.randomUUID(), sha256: await sha256(bytes) }
  for (let tries = 2; tries > 0; tries--) {
    try {
      await within(putTimeout, store!.put(stored.id, bytes, ttl))
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

// Ms after which a store is asked again: some are late with what was written elsewhere.
const pauses = [0, 100, 400]

const loadBody = async (
  { id, sha256: digest }: NonNullable<Answer['stored']>,
  store: RecordStore | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  for (const pause of pauses) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    try {
      const bytes = await within(getTimeout, store?.get(id))
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
  return new Response(hasNullBody(status) ? null : bytes, init as ResponseInit)
}
