import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { listening } from '../cli/listening.ts'

/** How long a client may take, in ms. */
export type Limits = {
  /** For the headers of a request, from its connection on: who says nothing is gone by then. */
  readonly headersTimeout?: number
  /** For a whole request, its body included. */
  readonly requestTimeout?: number
}

/** An HTTP server that can end without losing a request. */
export type Serving = {
  readonly port: number
  /**
   * Takes no more requests, answers those it has taken, and cuts off what is not done after `grace`
   * ms: who is still sending, or never reads its answer.
   */
  readonly close: (grace?: number) => Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

/**
 * Serves a handler on the loopback interface as an app like the gateway should be served anywhere.
 * Node waits for a whole request for five minutes, and looks only every half minute, so that a few
 * clients that drip could keep thousands of connections; and its `close()` alone goes on for as long
 * as a busy client keeps its connection.
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
      // Idle connections end at once; from here on Node no longer looks for slow clients.
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      clearTimeout(timer)
    },
  }
}
