import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { handler } from './index.ts'

// Calls the handler locally, as API Gateway does (payload 2.0).

const page = await readFile(new URL('index.html', import.meta.url))

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method, url, headers } = request
  if (method === 'GET') return void response.setHeader('content-type', 'text/html').end(page)
  const event = { rawPath: url, requestContext: { http: { method } }, headers }
  const result = await handler(event as never, { getRemainingTimeInMillis: () => 15_000 })
  response.writeHead(result.statusCode, result.headers).end(result.body)
}

const port = Number(process.env.PORT ?? 3000)
const server = createServer((request, response) => void respond(request, response))
server.listen(port, () => console.log(`http://localhost:${port}`))
