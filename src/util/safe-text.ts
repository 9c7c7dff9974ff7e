// Text of a server, before anybody looks at it: a node may send 64 KiB of whatever it likes.

// Characters of a text that are looked at: a pattern may take long over a long text.
const maxLength = 1000

/** The beginning of a text. It ends with a word, so that it ends with no part of a secret. */
export const beginOf = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, text.lastIndexOf(' ', maxLength) + 1)}...` : text

/** Text in one line, without what moves the cursor of a terminal or is not seen there. */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

/** A url without the name and the password in it. */
export const withoutCredentials = (text: string, mask: string = ''): string =>
  text.replace(/(\/\/)[^\s/@]*@/g, `$1${mask}`)

const mask = '***'

// Characters of a secret that is looked for in encoded text.
const minEncoded = 6

/** What a word in base64 may say: it may begin in the middle of a longer one. */
const decodeBase64 = (word: string): string => {
  const base64 = word.replaceAll('-', '+').replaceAll('_', '/')
  const from = [0, 1, 2, 3].map((start) => `${base64.slice(start)}AAA`)
  return from.map((part) => atob(part.slice(0, part.length & ~3))).join(' ')
}

/** Text without the words that are the secret once they are decoded. */
const withoutEncoded = (
  text: string,
  secret: string,
  words: RegExp,
  decode: (word: string) => string,
): string =>
  text.replace(words, (word) => {
    try {
      if (decode(word).includes(secret)) return mask
    } catch {
      // It is not encoded.
    }
    return word
  })

/** Text without the secret, even if that is encoded as in a url or in base64. */
export const masked = (text: string, secret: string | undefined): string => {
  if (!secret) return text
  const plain = text.split(secret).join(mask)
  // What is shorter may be a part of any word that is decoded.
  if (secret.length < minEncoded) return plain
  const inUrls = withoutEncoded(plain, secret, /[^\s/?&=:"]+/g, decodeURIComponent)
  return withoutEncoded(inUrls, secret, /[\w+/-]+/g, decodeBase64)
}

/** The beginning of a text of a server in one line, without the secret. */
export const safeText = (text: string, secret?: string): string =>
  visible(masked(beginOf(text), secret))
