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
   * Accepts no further requests and answers those already accepted. After `grace` ms it closes the
   * connections of clients that are still sending, or do not read their answer.
   */
  readonly close: (grace?: number) => Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

/**
 * Serves a handler on the loopback interface, in the way an app like the gateway should be served
 * anywhere. By default Node waits five minutes for a request and checks only every half minute, so
 * that a few slow clients could hold thousands of connections. Its `close()` alone waits as long as
 * a busy client keeps its connection.
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
  let isClosing = false
  const server = createAdaptorServer({
    fetch: async (request: Request) => {
      const response = await handle(request)
      if (isClosing) response.headers.set('connection', 'close')
      return response
    },
    serverOptions: { headersTimeout, requestTimeout, connectionsCheckingInterval: 1000 },
  }) as Server
  return {
    port: await listening(server, port),
    close: async (grace = 5000) => {
      isClosing = true
      // Idle connections end at once. From here on Node no longer checks for slow clients.
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      clearTimeout(timer)
    },
  }
}
