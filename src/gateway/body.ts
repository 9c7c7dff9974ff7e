const drain = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client disconnected, so there is nothing left to read.
  }
}

// In bytes. Most commands fit.
const firstSize = 1024

// In bytes. Node keeps a body in the pieces in which it arrives. A body of this length that arrives byte by byte
// occupies about 3 MB.
const maxWhole = 16_384

/**
 * Reads a whole body. A body whose declared length exceeds the limit is rejected before it is read. The server itself
 * reads a short body, since that is several times faster than its stream.
 *
 * The bytes of other bodies are copied into one buffer, which is doubled when it is full, up to the limit. If they were
 * kept as chunks, a body that arrives byte by byte would occupy two hundred times its size.
 *
 * The rest of a body that is too large is read and discarded while the response is sent. Unread bytes would stay in the
 * connection and break the client's next request on it. Hono's `bodyLimit` leaves them there.
 *
 * @param limit - Maximum size, in bytes.
 * @returns the bytes; undefined if there are more than `limit`.
 */
export const readRequestBody = async (
  request: Request,
  limit: number,
): Promise<Uint8Array | undefined> => {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared <= Math.min(limit, maxWhole)) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return bytes.length > limit ? undefined : bytes
  }
  const { body } = request
  if (!body) return new Uint8Array()
  const reader = body.getReader()
  if (declared > limit) {
    void drain(reader)
    return undefined
  }
  let bytes = new Uint8Array(Math.min(firstSize, limit))
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.subarray(0, length)
    const needed = length + value.length
    if (needed > limit) {
      void drain(reader)
      return undefined
    }
    if (needed > bytes.length) {
      const larger = new Uint8Array(Math.min(Math.max(needed, 2 * bytes.length), limit))
      larger.set(bytes)
      bytes = larger
    }
    bytes.set(value, length)
    length = needed
  }
}
