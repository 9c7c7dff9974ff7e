/** The parts of a request, for platforms that do not pass a `Request`. */
type RequestParts = {
  readonly url: URL
  readonly method: string
  /** The names and values of the headers. Headers that a `Request` cannot contain are omitted. */
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** Returns the next part of the body, or undefined at its end. Missing if there is no body. */
  readonly read?: (() => Promise<Uint8Array | undefined>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Creates a `Request` whose body is read on demand, which only idempotent requests do. */
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
      // A `Request` cannot contain this header.
    }
  }
  // A `Request` cannot have these methods. OPTIONS is a safe method like TRACE, the only one of them that reaches a
  // handler.
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
