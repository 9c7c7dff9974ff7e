import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { listening } from '../cli/listening.ts'

/** Time limits for clients, in ms. */
export type Limits = {
  /** For the headers of a request, from the connection on. It also ends silent connections. */
  readonly headersTimeout?: number
  /** For a whole request, including its body. */
  readonly requestTimeout?: number
}

/** An HTTP server that can close without losing a request. */
export type Serving = {
  readonly port: number
  /**
   * Accepts no further requests and answers those already accepted. Streams of server-sent events never end, so they
   * are cut immediately. After `grace` ms it closes the connections of clients that are still sending, or do not read
   * their response.
   */
  readonly close: (grace?: number) => Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

// Node's server sends a response faster if its headers have not been read, so responses to POST requests are left
// alone. An unexpected stream ends with the grace period.
const mayStream = ({ method, headers }: Request): boolean =>
  method !== 'POST' || headers.get('accept')?.includes('text/event-stream') === true

const isEventStream = (request: Request, response: Response): boolean =>
  mayStream(request) &&
  response.headers.get('content-type') === 'text/event-stream' &&
  response.body !== null

/** The same response, whose body ends when the signal aborts, and then cancels its source. */
const endedBy = (signal: AbortSignal, response: Response): Response => {
  const body = response.body!
  const reader = body.getReader()
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop)
  const ended = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        signal.removeEventListener('abort', stop)
        controller.close()
      },
      cancel: async (reason) => {
        signal.removeEventListener('abort', stop)
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  if (signal.aborted) stop()
  // A connection that is kept alive would delay the end of the server.
  response.headers.set('connection', 'close')
  return new Response(ended, response)
}

/**
 * Serves a handler on the loopback interface, in the way an app like the gateway should be served anywhere. By
 * default, Node waits five minutes for a request and checks only every 30 s. So a few slow clients could hold
 * thousands of connections. Its `close()` alone waits as long as a busy client keeps its connection.
 *
 * @example
 * ```ts
 * const { port, close } = await serve(gateway({ token, ...backend }).fetch)
 * process.once('SIGTERM', () => void close().then(backend.close))
 * ```
 */
export const serve = async (
  handle: Handler,
  { headersTimeout = 10_000, requestTimeout = 30_000 }: Limits = {},
  port = 0,
): Promise<Serving> => {
  const closing = new AbortController()
  const server = createAdaptorServer({
    fetch: async (request: Request) => {
      const response = await handle(request)
      if (closing.signal.aborted) response.headers.set('connection', 'close')
      return isEventStream(request, response) ? endedBy(closing.signal, response) : response
    },
    serverOptions: { headersTimeout, requestTimeout, connectionsCheckingInterval: 1000 },
  }) as Server
  return {
    port: await listening(server, port),
    close: async (grace = 5000) => {
      closing.abort()
      // Idle connections end immediately. From here on, Node no longer checks for slow clients.
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      clearTimeout(timer)
    },
  }
}
