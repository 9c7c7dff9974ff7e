import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Writable } from 'node:stream'
import { handle, streamHandle } from 'hono/aws-lambda'
import { app } from '../app.ts'
import { eventOf, type ProxyResult } from './lambda-event.ts'

// Acts like AWS around a Lambda: it turns requests into events, and freezes the process as soon as the response has
// been sent. The next event thaws it.

const mode = process.argv[2] as 'v1' | 'v2' | 'stream'
type StreamHandler = (event: unknown, stream: Writable, context: object) => Promise<void>

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamHandler): StreamHandler => handler,
    HttpResponseStream: {
      from: (
        response: ServerResponse,
        { statusCode, headers }: { statusCode: number; headers: Record<string, string> },
      ): ServerResponse => response.writeHead(statusCode, headers),
    },
  },
})

const context = (): object => {
  const end = Date.now() + 60_000
  return { getRemainingTimeInMillis: () => end - Date.now() }
}

const freeze = (): void => void process.kill(process.pid, 'SIGSTOP')

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  response.on('close', freeze)
  const event = await eventOf(request, mode)
  if (mode === 'stream') {
    await (streamHandle(app) as unknown as StreamHandler)(event, response, context())
    return
  }
  try {
    const run = handle(app) as unknown as (event: unknown, context: object) => Promise<ProxyResult>
    const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = await run(
      event,
      context(),
    )
    response.writeHead(statusCode, { ...headers, ...multiValueHeaders })
    response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
  } catch {
    // API Gateway turns an error of the function into a 502.
    response.writeHead(502).end()
  }
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () =>
  console.log(`listening on ${(server.address() as AddressInfo).port}`),
)
