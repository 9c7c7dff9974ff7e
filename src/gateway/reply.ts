import { encodeBase64 } from 'hono/utils/encode'

/** How strings travel in a JSON answer: as UTF-8 text, or as base64 of their bytes. */
export type Encoding = 'text' | 'base64'

// Without ignoreBOM the decoder would take the first character of some values away.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const encodeString = (value: string | Uint8Array, encoding: Encoding): string => {
  if (encoding === 'text') return typeof value === 'string' ? value : utf8.decode(value)
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  // A copy, since a reply may be a view on a larger buffer, which encodeBase64 would encode.
  return encodeBase64(new Uint8Array(bytes).buffer)
}

const encodeNested = (reply: unknown, encoding: Encoding): unknown => {
  if (typeof reply === 'string' || reply instanceof Uint8Array) return encodeString(reply, encoding)
  if (typeof reply === 'number') return reply
  if (Array.isArray(reply)) return reply.map((entry) => encodeNested(entry, encoding))
  if (typeof reply === 'bigint' || typeof reply === 'boolean') return Number(reply)
  // A script may answer `{1, {err = '...'}}`.
  if (reply instanceof Error) return encodeString(reply.message, encoding)
  return encodePairs(reply, encoding)
}

// What RESP3 and some clients make of a list of pairs goes back to what RESP2 has.
const encodePairs = (reply: unknown, encoding: Encoding): unknown => {
  if (reply instanceof Set) return encodeNested([...reply], encoding)
  if (reply instanceof Map) return encodeNested([...reply].flat(), encoding)
  if (typeof reply !== 'object' || reply === null) return null
  return encodeNested(Object.entries(reply).flat(), encoding)
}

/**
 * Makes JSON of a Redis reply. In base64 a reply of exactly `OK` stays as it is, but not an `OK`
 * inside an array: clients decode every string there.
 *
 * @see {@link https://upstash.com/docs/redis/features/restapi#base64-encoded-responses}
 */
export const encodeReply = (reply: unknown, encoding: Encoding): unknown => {
  const text = reply instanceof Uint8Array && reply.length === 2 ? utf8.decode(reply) : reply
  return text === 'OK' ? 'OK' : encodeNested(reply, encoding)
}
