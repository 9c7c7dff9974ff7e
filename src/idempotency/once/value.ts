import {
  type BodyLimits,
  fitsReply,
  readBody,
  type RecordedBody,
  writeBody,
} from '../stores/body-store.ts'
import {
  isLasting,
  throwableOf,
  type ThrownAnswer,
  type ThrownAs,
  thrownAnswerOf,
} from '../../util/thrown-answer.ts'
import { assertOption } from '../../util/validate.ts'
import { storePatience } from '../../core/retry/times.ts'
import { jsonCodec } from './json-codec.ts'
import { NotRecordedError } from './not-recorded-error.ts'
import type { Codec, OnceOptions } from './options.ts'
import { failureOf, ReplayedError, type ReplayedFailure } from './replayed-error.ts'
import { coded } from '../../util/codes.ts'

// The maximum size of a value on the nodes, in bytes: with a store, and without one.
const [storeAbove, maxInline] = [16_384, 32_768]

/** The content that replaces a deleted value. */
export const forgotten = 'forgotten'

const droppedContent = JSON.stringify({ isDropped: true } satisfies RecordedBody)

/** The content of a record: the outcome of a run. */
type RecordedOutcome = RecordedBody & {
  /** The form in which the run threw a response, such as a redirect. For Next.js, it includes the location. */
  readonly thrownAs?: ThrownAs | undefined
  readonly status?: number | undefined
  readonly location?: string | undefined
  /** The error that the run threw. */
  readonly failure?: ReplayedFailure | undefined
}

/** The outcome of a run that is about to be recorded. */
export type WrittenOutcome = {
  readonly content: string
  /** Why the value was not kept, if it was not. */
  readonly cause?: unknown
  /** The bytes of the value, if it was kept. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
  /** Whether the run threw a response, such as a redirect, which every call throws. */
  readonly isAnswer?: boolean
}

const limitsOf = <T>({ store }: OnceOptions<T>, recordTtl: number): BodyLimits => ({
  maxInline: store ? storeAbove : maxInline,
  store,
  patience: () => storePatience,
  recordTtl,
})

/** The bytes of a value. */
const encodeValue = async <T>(
  value: T,
  { codec = jsonCodec as Codec<T> }: OnceOptions<T>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const encoded: unknown = codec.encode(value)
  const given = encoded instanceof Uint8Array ? encoded : await encoded
  const expected = 'a function that returns a Uint8Array'
  assertOption(given instanceof Uint8Array, 'codec.encode', expected, given)
  // Copy the bytes, because a codec may reuse its buffer.
  return new Uint8Array(given)
}

/** Converts a value to the content of its record. Never rejects: without a record, the function would run again. */
export const writeValue = async <T>(
  value: T,
  options: OnceOptions<T>,
  recordTtl: number,
): Promise<WrittenOutcome> => {
  let body: RecordedBody = { isDropped: true }
  let bytes: Uint8Array<ArrayBuffer> | undefined
  let cause: unknown
  try {
    bytes = await encodeValue(value, options)
    // Copy the bytes, because a store may change them.
    body = await writeBody(bytes.slice(), limitsOf(options, recordTtl))
  } catch (error) {
    cause = error
  }
  return { content: JSON.stringify(body), cause, bytes: body.isDropped ? undefined : bytes }
}

/** Whether every call throws this response. The `Response` of another service, such as a 404, counts as an error. */
const isForAll = ({ as, response }: ThrownAnswer): boolean =>
  isLasting(response) && (as !== 'response' || response.headers.has('location'))

/** Converts a thrown value to the content of a record; undefined if it should not be recorded. */
export const writeThrown = (
  thrown: unknown,
  { failures }: Pick<OnceOptions<unknown>, 'failures'>,
): WrittenOutcome | undefined => {
  const answer = thrownAnswerOf(thrown)
  if (answer && isForAll(answer)) {
    const { status, headers } = answer.response
    const location = answer.as.startsWith('NEXT_') ? null : headers.get('location')
    const outcome = { thrownAs: answer.as, status, location: location ?? undefined }
    const content = JSON.stringify(outcome satisfies RecordedOutcome)
    if (fitsReply(content)) return { content, isAnswer: true }
    const cause = new RangeError('what the run has thrown is too large', { cause: thrown })
    return { content: droppedContent, isAnswer: true, cause }
  }
  if (failures !== 'replay') return undefined
  const outcome: RecordedOutcome = { failure: failureOf(thrown) }
  return { content: JSON.stringify(outcome), isAnswer: false }
}

/** Decodes a value from its bytes, as every call does. */
export const decodeValue = async <T>(
  bytes: Uint8Array<ArrayBuffer>,
  { codec = jsonCodec as Codec<T> }: OnceOptions<T>,
): Promise<T> => codec.decode(bytes)

/** A value after encoding and decoding. */
export const copyOf = async <T>(value: T, options: OnceOptions<T>): Promise<T> =>
  decodeValue(await encodeValue(value, options), options)

/** The value that a call throws for a recorded response that the run threw. */
const thrownAgain = <T>(
  key: string,
  as: ThrownAs,
  { status = 303, location }: RecordedOutcome,
  { redirect }: OnceOptions<T>,
): unknown => {
  // `redirect` throws.
  if (as === 'redirect') redirect?.(status as 303, location!)
  const headers: HeadersInit = location === undefined ? {} : { location }
  const response = new Response(null, { status, headers })
  const mistake =
    `A run for ${JSON.stringify(key)} has redirected. ` +
    'SvelteKit recognizes only its own redirects: pass `redirect` of @sveltejs/kit to once()'
  return throwableOf(as, response) ?? new TypeError(coded('ERL01', mistake))
}

/**
 * Reads the outcome in a record, and returns its value.
 *
 * @param own - The result of this call, if this call ran.
 * @throws the response that the run threw, such as a redirect.
 * @throws `ReplayedError` if the run failed.
 * @throws `NotRecordedError` if the record has no value, or if the store does not return it.
 * @throws any error of the codec.
 */
export const readValue = async <T>(
  key: string,
  content: string,
  options: OnceOptions<T>,
  own?: { readonly value: T | undefined },
): Promise<T> => {
  const outcome = JSON.parse(content) as RecordedOutcome
  if (outcome.isDropped) throw new NotRecordedError(key, 'not-kept', own)
  if (outcome.failure) throw new ReplayedError(key, outcome.failure)
  if (outcome.thrownAs) throw thrownAgain(key, outcome.thrownAs, outcome, options)
  const bytes = await readBody(outcome, options.store, storePatience)
  if (!bytes) throw new NotRecordedError(key, 'unreadable', own)
  return decodeValue(bytes, options)
}
