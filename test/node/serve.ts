import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { type Handler, serveHttp } from '../support/http-server.ts'

export type { Handler }

/** Serves a handler until the test ends. @returns its port. */
export const serve = async (handler: Handler): Promise<number> => (await serveHttp(handler)).port

/** Writes a response as a handler of Node does. A body that fails ends it. */
export const write = async (response: Response, res: ServerResponse): Promise<void> => {
  res.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) return void res.end()
  // It ends early if the client leaves.
  await pipeline(Readable.fromWeb(response.body as ReadableStream), res).catch(() => {})
}

type Sent = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | readonly string[]
}

/** What a client received, as it came over the connection. */
export type Received = {
  readonly status: number
  readonly reason: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** Sends a request; a list of texts as a body is sent in chunks, one after the other. */
export const send = async (port: number, sent: Sent = {}): Promise<Received> => {
  const { method = 'POST', path = '/', headers = {}, body = '' } = sent
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const client = request({ port, host: '127.0.0.1', method, path, headers, agent: false })
    client.on('response', resolve).on('error', reject)
    const write = async (): Promise<void> => {
      if (typeof body === 'string') return void client.end(body)
      for (const part of body) {
        client.write(part)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      client.end()
    }
    void write()
  })
  return {
    status: response.statusCode!,
    reason: response.statusMessage,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    body: await text(response),
  }
}
