// Bytes as text, without `Buffer`, which only Node has.

// Arguments of one call of `String.fromCharCode`.
const chunk = 8192

export const toBase64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk))
  }
  return btoa(binary)
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** The SHA-256 of bytes, in 43 characters that are safe everywhere. */
export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return toBase64(digest).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

export const concat = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
