// Faults between a client and a server, for any kind of request and reply.

/** Receives a request in place of the server. `send` forwards the request. */
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

/** Applies a fault only to the first `count` requests. */
export const first = <Request, Reply>(
  count: number,
  fault: Fault<Request, Reply>,
): Fault<Request, Reply> => {
  let seen = 0
  return (request, send) => (seen++ < count ? fault(request, send) : send())
}

/** Applies a fault only to requests that meet the condition. */
export const when =
  <Request, Reply>(
    condition: (request: Request) => boolean,
    fault: Fault<Request, Reply>,
  ): Fault<Request, Reply> =>
  (request, send) =>
    condition(request) ? fault(request, send) : send()

/** Delays each request to the server by `time()` ms. */
export const delayRequest =
  (time: () => number) =>
  async <Reply>(_request: unknown, send: () => Promise<Reply>): Promise<Reply> => {
    await sleep(time())
    return send()
  }

/** Delays each reply by `time()` ms. The server executes requests immediately. */
export const delayReply =
  (time: () => number) =>
  async <Reply>(_request: unknown, send: () => Promise<Reply>): Promise<Reply> => {
    const reply = await send()
    await sleep(time())
    return reply
  }

/** Delays each request by `there()` ms, and each reply by `back()` ms. */
export const delayBoth =
  (there: () => number, back: () => number = there) =>
  <Reply>(request: unknown, send: () => Promise<Reply>): Promise<Reply> =>
    delayRequest(there)(request, () => delayReply(back)(request, send))

/** Drops the request, so that no reply arrives. The call ends when the client gives up. */
export const hangUntilAborted = ({
  signal,
}: {
  readonly signal: AbortSignal | undefined
}): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(new Error('aborted'))
    else signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })

/** Holds back requests until `open()` is called. `arrived` counts the requests so far. */
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
