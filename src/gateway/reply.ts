import { encodeBase64 } from 'hono/utils/encode'

/** The encoding of strings in a JSON reply: as UTF-8 text, or as base64 of their bytes. */
export type Encoding = 'text' | 'base64'

// With `ignoreBOM`, the decoder does not remove a byte order mark at the beginning of a value.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes a string from Redis. Invalid UTF-8 becomes U+FFFD. */
export const toText = (value: string | Uint8Array): string =>
  typeof value === 'string' ? value : utf8.decode(value)

const encodeString = (value: string | Uint8Array, encoding: Encoding): string => {
  if (encoding === 'text') return toText(value)
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  // Copy the bytes: they may be a view of a larger buffer, and `encodeBase64` would encode the whole buffer.
  return encodeBase64(new Uint8Array(bytes).buffer)
}

const encodeNested = (reply: unknown, encoding: Encoding): unknown => {
  if (typeof reply === 'string' || reply instanceof Uint8Array) return encodeString(reply, encoding)
  if (typeof reply === 'number' || typeof reply === 'bigint') return reply
  if (Array.isArray(reply)) return reply.map((entry) => encodeNested(entry, encoding))
  if (typeof reply === 'boolean') return Number(reply)
  // A script can return a nested error, as in `{1, {err = '...'}}`.
  if (reply instanceof Error) return encodeString(reply.message, encoding)
  return encodePairs(reply, encoding)
}

// RESP3 and some clients return pairs as maps or objects. RESP2 and Upstash return flat lists.
const encodePairs = (reply: unknown, encoding: Encoding): unknown => {
  if (reply instanceof Set) return encodeNested([...reply], encoding)
  if (reply instanceof Map) return encodeNested([...reply].flat(), encoding)
  if (typeof reply !== 'object' || reply === null) return null
  return encodeNested(Object.entries(reply).flat(), encoding)
}

/**
 * Converts a Redis reply to strings, numbers, bigints, null, and arrays of these. With base64, the reply `OK` is not
 * encoded. An `OK` inside an array is encoded, because clients decode every string in arrays.
 *
 * @see {@link https://upstash.com/docs/redis/features/restapi#base64-encoded-responses}
 */
export const encodeReply = (reply: unknown, encoding: Encoding): unknown => {
  const text = reply instanceof Uint8Array && reply.length === 2 ? utf8.decode(reply) : reply
  return text === 'OK' ? 'OK' : encodeNested(reply, encoding)
}
