import { type BodyLimits, readBody, type RecordedBody, writeBody } from '../stores/body-store.ts'
import { assertOption } from '../util/validate.ts'
import { NotRecordedError } from './not-recorded-error.ts'
import type { Codec, OnceOptions } from './options.ts'

// Bytes of a value on the nodes: with a store, and without one.
const [storeAbove, maxInline] = [16_384, 32_768]

// Ms that a store has for a value.
const storePatience = 15_000

/** JSON. An undefined value has no bytes. */
const json: Codec<unknown> = {
  encode: (value) => {
    const text: string | undefined = JSON.stringify(value)
    return new TextEncoder().encode(text ?? '')
  },
  decode: (bytes) => (bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : undefined),
}

/** The content of a value that was given up. */
export const forgotten = 'forgotten'

/** A value that is about to be recorded. */
export type WrittenValue = {
  readonly content: string
  /** Why the value was not kept, if it was not. */
  readonly cause?: unknown
  /** Its bytes, if they were kept. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
}

/** Turns a value into the content of its record. Never rejects: the run has ended, and must not run again. */
export const writeValue = async <T>(
  value: T,
  { codec = json as Codec<T>, store }: OnceOptions<T>,
  recordTtl: number,
): Promise<WrittenValue> => {
  const limits: BodyLimits = {
    maxInline: store ? storeAbove : maxInline,
    store,
    patience: () => storePatience,
    recordTtl,
  }
  let body: RecordedBody = { isDropped: true }
  let bytes: Uint8Array<ArrayBuffer> | undefined
  let cause: unknown
  try {
    const encoded: unknown = codec.encode(value)
    const given = encoded instanceof Uint8Array ? encoded : await encoded
    const expected = 'a function that returns a Uint8Array'
    assertOption(given instanceof Uint8Array, 'codec.encode', expected, given)
    // Copies: a codec may use its buffer again, and a store may change what it gets.
    bytes = new Uint8Array(given)
    body = await writeBody(bytes.slice(), limits)
  } catch (error) {
    cause = error
  }
  return { content: JSON.stringify(body), cause, bytes: body.isDropped ? undefined : bytes }
}

/** The value that these bytes are for everybody. */
export const decodeValue = async <T>(
  bytes: Uint8Array<ArrayBuffer>,
  { codec = json as Codec<T> }: OnceOptions<T>,
): Promise<T> => codec.decode(bytes)

/**
 * Reads the value of a record.
 *
 * @param own - What this call has returned, if it has run.
 * @throws `NotRecordedError` where there is none, or the error of the codec.
 */
export const readValue = async <T>(
  key: string,
  content: string,
  options: OnceOptions<T>,
  own?: { readonly value: T },
): Promise<T> => {
  const body = JSON.parse(content) as RecordedBody
  if (body.isDropped) throw new NotRecordedError(key, 'not-kept', own)
  const bytes = await readBody(body, options.store, storePatience)
  if (!bytes) throw new NotRecordedError(key, 'unreadable', own)
  return decodeValue(bytes, options)
}
