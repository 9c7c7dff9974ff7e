// The maximum number of arguments in a call of `String.fromCharCode`.
const chunk = 8192

/** Encodes text as UTF-8. */
export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const toBase64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk))
  }
  return btoa(binary)
}

/** @throws an error if the text is not base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(text)
  // `Uint8Array.from` with a mapping function is ten times slower.
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
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

/** The SHA-256 of the bytes, as 43 characters of URL-safe base64. */
export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return toBase64(digest).replace(/\+/g, '-').replace(/\//g, '_').slice(0, 43)
}

/**
 * Reads a body up to a limit in bytes.
 *
 * @returns the body, or a stream of the whole body if it is longer than the limit.
 * @throws the error of the body, or `TypeError` if a chunk is not a `Uint8Array`.
 */
export const collect = async (
  body: ReadableStream | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> => {
  if (!body) return new Uint8Array()
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  for (let size = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return concat(parts)
    // A response could not send a chunk of another type, either.
    if (!(value instanceof Uint8Array)) {
      const error = new TypeError('the body must consist of Uint8Array chunks')
      reader.cancel(error).catch(() => {})
      throw error
    }
    parts.push(value)
    size += value.length
    if (size > limit) break
  }
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const read = parts.shift()
      if (read) return controller.enqueue(read)
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Whether a response is final. A 101 or a network error cannot be copied or recorded. */
export const isFinal = ({ status }: Response): boolean => status >= 200

/** Whether a final response can have a body. https://fetch.spec.whatwg.org/#null-body-status */
export const mayHaveBody = (status: number): boolean => ![204, 205, 304].includes(status)
