// Bytes as text, by what the platform has: loops in JavaScript take a hundred times as long.

type Native = {
  readonly Buffer?: {
    readonly from: (from: Uint8Array | string, encoding?: 'latin1') => Uint8Array<ArrayBuffer>
  }
  readonly Uint8Array: { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }
}

const native = globalThis as Native

// Arguments of one call of `String.fromCharCode`.
const chunk = 8192

export const toBase64 = (bytes: Uint8Array & { toBase64?: () => string }): string => {
  if (bytes.toBase64) return bytes.toBase64()
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk))
  }
  return btoa(binary)
}

/** @throws an error if the text is not base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  if (native.Uint8Array.fromBase64) return native.Uint8Array.fromBase64(text)
  // `Buffer` would skip what is not base64.
  const binary = atob(text)
  if (native.Buffer) return new Uint8Array(native.Buffer.from(binary, 'latin1'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
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
