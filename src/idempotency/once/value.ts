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

// Bytes of a value on the nodes: with a store, and without one.
const [storeAbove, maxInline] = [16_384, 32_768]

/** The content of a value that was given up. */
export const forgotten = 'forgotten'

const droppedContent = JSON.stringify({ isDropped: true } satisfies RecordedBody)

/** What a run has left, as it stands in the content of a record. */
type RecordedOutcome = RecordedBody & {
  /** How an answer was thrown, such as a redirect. That of Next.js has its location in it. */
  readonly thrownAs?: ThrownAs | undefined
  readonly status?: number | undefined
  readonly location?: string | undefined
  /** The error that was thrown. */
  readonly failure?: ReplayedFailure | undefined
}

/** What a run has left, about to be recorded. */
export type WrittenOutcome = {
  readonly content: string
  /** Why it was not kept, if it was not. */
  readonly cause?: unknown
  /** The bytes of a value that was kept. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
  /** Whether it was thrown and is an answer, such as a redirect, which every call gets. */
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
  // Copies: a codec may use its buffer again.
  return new Uint8Array(given)
}

/** Turns a value into the content of its record. Never rejects: the run has ended, and must not run again. */
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
    // A copy: a store may change what it gets.
    body = await writeBody(bytes.slice(), limitsOf(options, recordTtl))
  } catch (error) {
    cause = error
  }
  return { content: JSON.stringify(body), cause, bytes: body.isDropped ? undefined : bytes }
}

/** Whether every call gets what a run has thrown. A response of another service, such as a 404, is thrown as an error. */
const isForAll = ({ as, response }: ThrownAnswer): boolean =>
  isLasting(response) && (as !== 'response' || response.headers.has('location'))

/** Turns what a run has thrown into the content of its record; undefined if it is not to be recorded. */
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

/** The value that these bytes are for everybody. */
export const decodeValue = async <T>(
  bytes: Uint8Array<ArrayBuffer>,
  { codec = jsonCodec as Codec<T> }: OnceOptions<T>,
): Promise<T> => codec.decode(bytes)

/** What the codec keeps of a value. */
export const copyOf = async <T>(value: T, options: OnceOptions<T>): Promise<T> =>
  decodeValue(await encodeValue(value, options), options)

/** What a call throws, for an answer that the run has thrown. */
const thrownAgain = <T>(
  key: string,
  as: ThrownAs,
  { status = 303, location }: RecordedOutcome,
  { redirect }: OnceOptions<T>,
): unknown => {
  // It throws by itself.
  if (as === 'redirect') redirect?.(status as 303, location!)
  const headers: HeadersInit = location === undefined ? {} : { location }
  const response = new Response(null, { status, headers })
  const mistake =
    `A run for ${JSON.stringify(key)} has redirected. ` +
    'SvelteKit recognises only its own redirects: pass `redirect` of @sveltejs/kit to once()'
  return throwableOf(as, response) ?? new TypeError(mistake)
}

/**
 * Reads the outcome of a record: returns its value, or throws what the run has thrown.
 *
 * @param own - What this call has returned, if it has run.
 * @throws the answer that the run has thrown, such as a redirect; `ReplayedError` if it has failed;
 *   `NotRecordedError` where there is no value; or the error of the codec.
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
