import { encode, toBase64 } from './bytes.ts'

// Makes text from a server safe to show and log. A node can send 64 KiB of arbitrary text.

// The maximum number of characters to examine, because patterns can be slow on long text.
const maxLength = 1000

/** The beginning of a text, cut off at the end of a word. */
export const firstCharacters = (text: string, length: number = maxLength): string =>
  text.length > length ? `${text.slice(0, text.lastIndexOf(' ', length) + 1)}...` : text

/**
 * Replaces line breaks, control characters and invisible characters with spaces, so that a terminal shows one plain
 * line.
 */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

/** Masks the user names and passwords of URLs in a text. */
export const withoutCredentials = (text: string, mask: string = ''): string =>
  text.replace(/(\/\/)[^\s/@]*@/g, `$1${mask}`)

const mask = '***'

// The base64 of a shorter secret could be part of an ordinary word.
const minEncoded = 6

const percentEncoded = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const unicodeEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The base64 characters that depend only on these bytes, if `others` other bytes precede them. */
const base64After = (others: number, bytes: Uint8Array): string => {
  const text = toBase64(Uint8Array.from([...Array(others).fill(0), ...bytes]))
  return text.slice(Math.ceil((others * 8) / 6), Math.floor(((others + bytes.length) * 8) / 6))
}

/** The forms in which libraries and proxies can write a secret: URL-encoded, form-encoded, in JSON and in base64. */
const encodedForms = (secret: string): string[] => {
  const bytes = encode(secret)
  const form = new URLSearchParams({ secret }).toString().slice('secret='.length)
  const urls = [encodeURI(secret), encodeURIComponent(secret), form, percentEncoded(bytes)]
  const json = JSON.stringify(secret).slice(1, -1)
  const base64 = [0, 1, 2].map((others) => base64After(others, bytes))
  return [
    ...urls,
    ...urls.map((url) => url.replace(/%../g, (code) => code.toLowerCase())),
    ...urls.map((url) => url.replace(/%../g, (code) => code.toUpperCase())),
    json,
    json.replace(/[^ -~]/g, unicodeEscape),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** Masks a secret in a text, even if the secret is encoded. */
const masked = (text: string, secret: string | undefined): string => {
  if (!secret) return text
  const plain = text.replaceAll(secret, mask)
  if (secret.length < minEncoded) return plain
  return encodedForms(secret).reduce((safe, form) => safe.replaceAll(form, mask), plain)
}

// The maximum number of characters that one character of a secret takes when encoded.
const maxUnit = 9

/**
 * The beginning of a server's text, as one line without the secrets. More text is examined than shown, so that the
 * result never ends with part of a secret, even one that contains spaces.
 */
export const safeText = (text: string, ...secrets: readonly (string | undefined)[]): string => {
  const reach = maxUnit * Math.max(0, ...secrets.map((one = '') => one.length))
  const seen = text.slice(0, maxLength + reach)
  const safe = secrets.reduce<string>(masked, seen)
  const isCut = seen.length < text.length
  return visible(
    firstCharacters(safe, isCut ? Math.min(maxLength, safe.length - reach - 1) : maxLength),
  )
}
