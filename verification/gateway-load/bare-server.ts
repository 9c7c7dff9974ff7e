import { createServer, type IncomingMessage } from 'node:http'
import { Redis } from 'ioredis'
import { settingsFromParent } from '../../tools/child-process.ts'
import { listening } from '../../tools/cli/listening.ts'

// The baseline for the gateway: a Node server that does the minimum to run a Redis command for a client with the
// token.

const { redis, token } = await settingsFromParent<{ redis: number; token: string }>()
const client = new Redis(redis, '127.0.0.1', { lazyConnect: true })
await client.connect()

const answer = async (request: IncomingMessage, body: string): Promise<[number, unknown]> => {
  if (request.headers.authorization !== `Bearer ${token}`) return [401, {}]
  const [name, ...args] = JSON.parse(body) as [string, ...string[]]
  return [200, { result: await client.call(name, ...args) }]
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const send = ([status, body]: [number, unknown]): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    answer(request, Buffer.concat(chunks).toString()).then(send, () => send([500, {}]))
  })
})
process.send!({ port: await listening(server) })
