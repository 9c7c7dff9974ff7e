const drain = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client disconnected, so there is nothing left to read.
  }
}

// The initial size of the buffer, in bytes. Most commands fit.
const firstSize = 1024

// The longest body that `arrayBuffer()` reads, in bytes. Node stores a body in the pieces in which it arrives. A body of
// this length that arrives byte by byte occupies about 3 MB.
const maxWhole = 16_384

/**
 * Reads a whole body. A body whose declared length exceeds the limit is rejected before it is read. For a short body,
 * `arrayBuffer()` is several times faster than a stream.
 *
 * Longer bodies are copied into one buffer, which doubles when it is full, up to the limit. As separate chunks, a body
 * that arrives byte by byte would occupy two hundred times its size.
 *
 * The rest of a body that is too large is read and discarded while the response is sent. Otherwise, the unread bytes
 * would stay in the connection and break the client's next request, as with Hono's `bodyLimit`.
 *
 * @param limit - The maximum size, in bytes.
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
