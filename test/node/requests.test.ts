import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { idempotent, lockOf } from '../../src/entries/node.ts'
import { appBehind, type Front } from '../idempotency/adapters.ts'
import { requests } from '../idempotency/requests.ts'
import { serve, write } from './serve.ts'
import { realNodes } from '../support/real-nodes.ts'

/** What Node adds to each response, whatever the handler. */
const ofNode = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

const requestOf = async ({ url, method = 'GET', headers }: IncomingMessage, body: Buffer) =>
  new Request(`http://localhost${url}`, {
    method,
    headers: headers as Record<string, string>,
    ...(method !== 'GET' && { body: new Uint8Array(body) }),
  })

const onNode: Front = (options, handler) => {
  const scope = (req: IncomingMessage): string => String(req.headers['x-user'] ?? 'user-1')
  const once = idempotent({ scope, ...options })
  const app = appBehind(handler)
  const port = serve((req, res) =>
    once(req, res, async () => {
      const request = await requestOf(req, await buffer(req))
      await write(await app.fetch(request, { lock: lockOf(req) }), res)
    }),
  )
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const { method, headers, body } = request
    const init = { method, headers, body, duplex: 'half' } as RequestInit
    const url = `http://127.0.0.1:${await port}${pathname}${search}`
    // A handler whose body fails can only end the connection.
    const response = await fetch(url, init).catch(() => new Response('', { status: 500 }))
    const sent = new Headers(response.headers)
    for (const name of ofNode) sent.delete(name)
    const bytes = await response.arrayBuffer()
    const answer = bytes.byteLength > 0 ? bytes : null
    return new Response(answer, { status: response.status, headers: sent })
  }
}

requests('node:http', realNodes, onNode)
