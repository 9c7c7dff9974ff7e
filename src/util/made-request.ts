/** The parts of a request, for platforms that do not pass a `Request`. */
type RequestParts = {
  readonly url: URL
  readonly method: string
  /** Names and values. Headers that a `Request` cannot have are omitted. */
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** Returns the next part of the body, undefined at its end; undefined if there is no body. */
  readonly read?: (() => Promise<Uint8Array | undefined>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Creates a request whose body is read on demand, which happens only for an idempotent request. */
export const madeRequest = ({
  url,
  method: named,
  headers: pairs,
  read,
  signal,
}: RequestParts): Request => {
  const headers = new Headers()
  for (const [name, value] of pairs) {
    try {
      headers.append(name, value)
    } catch {
      // A `Request` cannot have this header.
    }
  }
  // A `Request` cannot have these methods. A service passes only TRACE, which is safe.
  const method = /^(CONNECT|TRACE|TRACK)$/i.test(named) ? 'OPTIONS' : named
  const init: RequestInit = { method, headers, ...(signal && { signal }) }
  if (!read || /^(GET|HEAD)$/i.test(method)) return new Request(url, init)
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const part = await read()
        if (part) controller.enqueue(part)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Request(url, { ...init, body, duplex: 'half' } as RequestInit)
}
