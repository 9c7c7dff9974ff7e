/** What a platform says of a request, where it passes no `Request`. */
type RequestParts = {
  readonly url: URL
  readonly method: string
  /** Names and values; those that no request can have are left out. */
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** Returns the next part of the body, undefined at its end; undefined if there is no body. */
  readonly read?: (() => Promise<Uint8Array | undefined>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Makes a request whose body is read when somebody reads it, which only an idempotent request does. */
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
      // What no request can have.
    }
  }
  // A Request cannot be made of these, of which a service passes none but TRACE, which is safe.
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
