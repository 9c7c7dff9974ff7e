import { encode, toBase64 } from './bytes.ts'

// Text of a server, before anybody looks at it: a node may send 64 KiB of whatever it likes.

// Characters of a text that are looked at: a pattern may take long over a long text.
const maxLength = 1000

/** The beginning of a text, which ends with a word. */
export const beginOf = (text: string, length: number = maxLength): string =>
  text.length > length ? `${text.slice(0, text.lastIndexOf(' ', length) + 1)}...` : text

/** Text in one line, without what moves the cursor of a terminal or is not seen there. */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

/** A url without the name and the password in it. */
export const withoutCredentials = (text: string, mask: string = ''): string =>
  text.replace(/(\/\/)[^\s/@]*@/g, `$1${mask}`)

const mask = '***'

// A shorter secret may be a part of any word in base64.
const minEncoded = 6

const percentEncoded = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const unicodeEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The characters of base64 that tell of the bytes alone, after so many others. */
const base64After = (others: number, bytes: Uint8Array): string => {
  const text = toBase64(Uint8Array.from([...Array(others).fill(0), ...bytes]))
  return text.slice(Math.ceil((others * 8) / 6), Math.floor(((others + bytes.length) * 8) / 6))
}

/** How libraries and proxies write a secret: in a URL, in a form, in JSON and in base64. */
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

/** Text without the secret, even if that is encoded. */
const masked = (text: string, secret: string | undefined): string => {
  if (!secret) return text
  const plain = text.replaceAll(secret, mask)
  if (secret.length < minEncoded) return plain
  return encodedForms(secret).reduce((safe, form) => safe.replaceAll(form, mask), plain)
}

// Characters that one of a secret may take where it is encoded.
const maxUnit = 9

/**
 * The beginning of a text of a server in one line, without the secrets. It ends with no part of one, even if that has
 * blanks: more is looked at than is shown.
 */
export const safeText = (text: string, ...secrets: readonly (string | undefined)[]): string => {
  const reach = maxUnit * Math.max(0, ...secrets.map((one = '') => one.length))
  const seen = text.slice(0, maxLength + reach)
  const safe = secrets.reduce<string>(masked, seen)
  const isCut = seen.length < text.length
  return visible(beginOf(safe, isCut ? Math.min(maxLength, safe.length - reach - 1) : maxLength))
}
