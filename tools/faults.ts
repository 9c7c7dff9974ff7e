// Faults between a client and a server, for any kind of request and reply.

/** Receives a request in place of the server; `send` lets it through. */
export type Fault<Request, Reply> = (request: Request, send: () => Promise<Reply>) => Promise<Reply>

/** Resolves after `ms`, or as soon as the signal aborts. */
export const sleep = (time: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, signal?.aborted ? 0 : time)
    signal?.addEventListener('abort', done)
  })

/** The fault for the first `count` requests, none for later ones. */
export const first = <Request, Reply>(
  count: number,
  fault: Fault<Request, Reply>,
): Fault<Request, Reply> => {
  let seen = 0
  return (request, send) => (seen++ < count ? fault(request, send) : send())
}

/** The fault for requests that meet the condition, none for others. */
export const when =
  <Request, Reply>(
    condition: (request: Request) => boolean,
    fault: Fault<Request, Reply>,
  ): Fault<Request, Reply> =>
  (request, send) =>
    condition(request) ? fault(request, send) : send()

/** Each request takes `time()` ms to the server. */
export const delayRequest =
  (time: () => number) =>
  async <Reply>(_request: unknown, send: () => Promise<Reply>): Promise<Reply> => {
    await sleep(time())
    return send()
  }

/** The server executes each request immediately, and its reply takes `time()` ms. */
export const delayReply =
  (time: () => number) =>
  async <Reply>(_request: unknown, send: () => Promise<Reply>): Promise<Reply> => {
    const reply = await send()
    await sleep(time())
    return reply
  }

/** Each request takes `there()` ms to the server, and its reply `back()` ms. */
export const delayBoth =
  (there: () => number, back: () => number = there) =>
  <Reply>(request: unknown, send: () => Promise<Reply>): Promise<Reply> =>
    delayRequest(there)(request, () => delayReply(back)(request, send))

/** The server never receives the request and no reply arrives: the call ends when the client gives up. */
export const hangUntilAborted = ({
  signal,
}: {
  readonly signal: AbortSignal | undefined
}): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(new Error('aborted'))
    else signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })

/** Holds requests back until `open()` is called. `arrived` counts the requests so far. */
export const gate = (): {
  readonly fault: <Reply>(request: unknown, send: () => Promise<Reply>) => Promise<Reply>
  readonly open: () => void
  readonly arrived: () => number
} => {
  let open!: () => void
  let count = 0
  const opened = new Promise<void>((resolve) => (open = resolve))
  return {
    open,
    arrived: () => count,
    fault: async (_request, send) => {
      count++
      await opened
      return send()
    },
  }
}
