import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { listening } from '../cli/listening.ts'

/** Time limits for requests, in ms. */
export type Limits = {
  /** The limit for the headers of a request, from the start of the connection. Also ends silent connections. */
  readonly headersTimeout?: number
  /** The limit for a whole request, including its body. */
  readonly requestTimeout?: number
}

/** An HTTP server that can close without losing a request. */
export type Serving = {
  readonly port: number
  /**
   * Stops accepting requests, and finishes those already accepted. Streams of server-sent events would never end, so
   * they are ended immediately. After `grace` ms, closes the connections of clients that are still sending, or do not
   * read their response.
   */
  readonly close: (grace?: number) => Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

// The Node server sends a response faster if its headers have not been read, so do not read those of responses to POST.
// If one of them is a stream after all, it ends with the grace period.
const mayStream = ({ method, headers }: Request): boolean =>
  method !== 'POST' || headers.get('accept')?.includes('text/event-stream') === true

const isEventStream = (request: Request, response: Response): boolean =>
  mayStream(request) &&
  response.headers.get('content-type') === 'text/event-stream' &&
  response.body !== null

/** Returns the same response with a body that ends when the signal aborts, and then cancels its source. */
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
  // A keep-alive connection would delay the end of the server.
  response.headers.set('connection', 'close')
  return new Response(ended, response)
}

/**
 * Serves a handler on the loopback interface, with the settings that an app such as the gateway needs anywhere. By
 * default, Node waits five minutes for a request and checks only every 30 s, so a few slow clients could hold thousands
 * of connections. Node's `close()` alone waits for as long as a busy client keeps its connection.
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
      // Idle connections end immediately. From now on, Node no longer checks for slow clients.
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      clearTimeout(timer)
    },
  }
}
