import { toBase64 } from './bytes.ts'

/** The SHA-256 of bytes, in 43 characters that are safe everywhere. */
export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return toBase64(digest).replace(/\+/g, '-').replace(/\//g, '_').slice(0, 43)
}
