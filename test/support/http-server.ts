import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach } from 'vitest'
import { listening } from '../../tools/cli/listening.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A listener of `node:http`. A rejection is answered by a 500 with its message. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server on the loopback interface, until the test has ended or it is stopped. */
export type HttpServer = {
  readonly port: number
  readonly url: string
  readonly stop: () => Promise<unknown>
}

/** Serves a listener: a node that misbehaves as no server of this package does, or an app. */
export const serveHttp = async (handler: Handler): Promise<HttpServer> => {
  const server = createServer((request, response) => {
    void (async () => handler(request, response))().catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(500).end(String(error))
    })
  })
  const stop = (): Promise<unknown> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    return closed
  }
  stops.push(stop)
  const port = await listening(server)
  return { port, url: `http://127.0.0.1:${port}`, stop }
}
