import { encode, toBase64 } from './bytes.ts'

// Text from a server is made safe to show and to log. A node may send 64 KiB of arbitrary text.

// The characters of a text that are examined: a pattern may take long on a long text.
const maxLength = 1000

/** The beginning of a text, up to the end of a word. */
export const firstCharacters = (text: string, length: number = maxLength): string =>
  text.length > length ? `${text.slice(0, text.lastIndexOf(' ', length) + 1)}...` : text

/** Text in one line, without characters that move the cursor of a terminal or are invisible there. */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

/** A URL without the user name and the password. */
export const withoutCredentials = (text: string, mask: string = ''): string =>
  text.replace(/(\/\/)[^\s/@]*@/g, `$1${mask}`)

const mask = '***'

// A shorter secret may be a part of any word in base64.
const minEncoded = 6

const percentEncoded = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const unicodeEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The base64 characters that depend only on these bytes, after a number of other bytes. */
const base64After = (others: number, bytes: Uint8Array): string => {
  const text = toBase64(Uint8Array.from([...Array(others).fill(0), ...bytes]))
  return text.slice(Math.ceil((others * 8) / 6), Math.floor(((others + bytes.length) * 8) / 6))
}

/** The forms in which libraries and proxies write a secret: in a URL, in a form, in JSON and in base64. */
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

/** Text without the secret, even if the secret is encoded. */
const masked = (text: string, secret: string | undefined): string => {
  if (!secret) return text
  const plain = text.replaceAll(secret, mask)
  if (secret.length < minEncoded) return plain
  return encodedForms(secret).reduce((safe, form) => safe.replaceAll(form, mask), plain)
}

// The maximum number of characters that encode one character of a secret.
const maxUnit = 9

/**
 * The beginning of a server's text in one line, without the secrets. It does not end with a part of a secret, even if
 * the secret has blanks, because the function examines more than it shows.
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
