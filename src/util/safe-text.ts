import { encode } from './bytes.ts'

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

// Characters of a secret that is looked for in encoded text. In base64 they take eight.
const minEncoded = 6

/** What a word in base64 may say: it may begin in the middle of a longer one. */
const decodeBase64 = (word: string): string => {
  const base64 = word.replaceAll('-', '+').replaceAll('_', '/')
  const from = [0, 1, 2, 3].map((start) => `${base64.slice(start)}AAA`)
  return from.map((part) => atob(part.slice(0, part.length & ~3))).join(' ')
}

/** The bytes of a text, each as a character. */
const binary = (text: string): string =>
  Array.from(encode(text), (byte) => String.fromCharCode(byte)).join('')

/** Text without the words in base64 that have the secret in them. */
const withoutBase64 = (text: string, secret: string): string =>
  text.replace(/[\w+/-]{8,}/g, (word) => {
    try {
      const decoded = decodeBase64(word)
      if ([secret, binary(secret)].some((one) => decoded.includes(one))) return mask
    } catch {
      // It is not encoded.
    }
    return word
  })

/**
 * Text without the secret, of which each character may be encoded.
 *
 * @param units - Matches what stands for one character. What is malformed stands for itself.
 */
const withoutEncoded = (
  text: string,
  secret: string,
  units: RegExp,
  decode: (unit: string) => string,
): string => {
  let decoded = ''
  let end = 0
  /** Where each decoded character is, and by how much the text after it is longer than what is decoded. */
  const shifts: (readonly [at: number, shift: number])[] = []
  for (const { 0: unit, index } of text.matchAll(units)) {
    decoded += text.slice(end, index)
    const at = decoded.length
    decoded += decode(unit)
    end = index + unit.length
    shifts.push([at, end - decoded.length])
  }
  decoded += text.slice(end)
  const positionOf = (at: number): number => {
    let position = at
    for (const [from, shift] of shifts) if (from < at) position = at + shift
    return position
  }
  let safe = ''
  end = 0
  for (let at = decoded.indexOf(secret); at >= 0; at = decoded.indexOf(secret, at)) {
    safe += text.slice(end, positionOf(at)) + mask
    at += secret.length
    end = positionOf(at)
  }
  return safe + text.slice(end)
}

// One character of UTF-8, as it stands in a url or in a form, and one of JSON.
const inUrl = /%[\da-f]{2}(?:%[89ab][\da-f])*/gi
const inForm = /\+|%[\da-f]{2}(?:%[89ab][\da-f])*/gi
const inJson = /\\u[\da-f]{4}|\\[^u]/gi

const decodeUrl = (unit: string): string => {
  if (unit === '+') return ' '
  // Nearly always it is one byte.
  if (unit.length === 3) return String.fromCharCode(parseInt(unit.slice(1), 16))
  const bytes = unit.slice(1).split('%')
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => parseInt(byte, 16)))
}

const decodeJson = (unit: string): string => {
  if (unit[2]) return String.fromCharCode(parseInt(unit.slice(2), 16))
  return '\b\f\n\r\t'['bfnrt'.indexOf(unit[1]!)] ?? unit[1]!
}

/** Text without the secret, even if that is encoded as in a url, in a form, in JSON or in base64. */
const masked = (text: string, secret: string | undefined): string => {
  if (!secret) return text
  const plain = text.split(secret).join(mask)
  // What is shorter may be a part of any word that is decoded.
  if (secret.length < minEncoded) return plain
  const inUrls = withoutEncoded(plain, secret, inUrl, decodeUrl)
  const inForms = secret.includes(' ') ? withoutEncoded(inUrls, secret, inForm, decodeUrl) : inUrls
  return withoutBase64(withoutEncoded(inForms, secret, inJson, decodeJson), secret)
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
