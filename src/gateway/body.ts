const drain = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client disconnected, so nothing is left to read.
  }
}

/**
 * Reads a whole body. A body whose declared length exceeds the limit is rejected before it is read.
 *
 * The rest of a body that is too large is read and discarded while the response is sent: unread bytes
 * would stay in the connection and break the client's next request on it. Hono's `bodyLimit` leaves
 * them there.
 *
 * @param limit - Maximum size, in bytes.
 * @param declared - The `content-length` header.
 * @returns the bytes; undefined if there are more than `limit`.
 */
export const readBody = async (
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  declared: string | undefined,
): Promise<Uint8Array | undefined> => {
  if (!body) return new Uint8Array()
  const reader = body.getReader()
  if (Number(declared) > limit) {
    void drain(reader)
    return undefined
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > limit) {
      void drain(reader)
      return undefined
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
