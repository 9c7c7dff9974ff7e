const drain = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has gone, and with it what there was to read.
  }
}

/**
 * The bytes of a body, or undefined when it has more than `limit` of them. Where its length is
 * `declared` it is refused before any of it is kept. The rest of a body that is too long is read
 * while the answer is on its way, and thrown away: bytes nobody reads stay in the connection, and end
 * the client's next request on it. (Hono's own `bodyLimit` leaves them there.)
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
