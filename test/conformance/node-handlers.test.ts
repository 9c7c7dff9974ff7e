import { request } from 'node:http'
import { expect, it } from 'vitest'
import { serveHttp } from '../support/http-server.ts'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// The wrapped functions answer by what they return, which servers of Node, Express and Fastify ignore: a
// rejected request would never be answered, and the lock would end before the handler.

/** Serves a wrapped function as a user of Node's http or Express does by mistake; errors become a 500. */
const serve = async (handle: (...args: never[]) => unknown): Promise<number> => {
  const { port } = await serveHttp((req, res) =>
    (handle as (...args: unknown[]) => unknown)(req, res, () => {}),
  )
  return port
}

const get = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1' }, (response) => {
      let text = `${response.statusCode} `
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject).end()
  })

let calls = 0
const answer = (_req: unknown, res: unknown): undefined => {
  calls++
  ;(res as { end: (text: string) => void }).end('done')
}
const redlock = new Redlock({ nodes: memoryNodes(3) })
const locked = withLock({ redlock, key: 'a' }, answer as never)

it.each([
  ['withLock', locked],
  ['withThrottle', withThrottle({ redlock, key: 'a', window: 5_000 }, answer as never)],
  ['withIdempotency', withIdempotency({ redlock, scope: () => 'a' }, answer as never)],
] as const)(
  '%s throws when it is called as a handler of Node, and says what to use',
  async (name, handle) => {
    calls = 0
    const port = await serve(handle)
    const responses = await Promise.all([get(port), get(port)])
    for (const response of responses) {
      expect(response).toMatch(/^500 TypeError: /)
      expect(response).toContain('of edge-redlock/node')
    }
    expect(name && calls).toBe(0)
  },
)

it('knows the objects of frameworks around those of Node', () => {
  const pairs = [
    // Fastify
    [
      { raw: {}, socket: { on: () => {} } },
      { raw: {}, send: () => {} },
    ],
    // Koa
    [{ req: {}, socket: { on: () => {} } }, () => {}],
    // A mock of a response without a socket
    [{ headers: {} }, { setHeader: () => {}, end: () => {} }],
  ]
  for (const pair of pairs) {
    expect(() => (locked as (...args: unknown[]) => unknown)(...pair)).toThrow(
      'of edge-redlock/node',
    )
  }
})

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['text', 'POST /'],
  ['an empty object', {}],
  ['an event of SQS', { Records: [] }],
  ['an event of a schedule', { 'detail-type': 'Scheduled Event', time: '2026-11-27T00:00:00Z' }],
  ['an object with headers alone', { headers: { a: 'b' } }],
  ['the context of Koa or Hono in place of its request', { request: { url: '/' }, path: '/' }],
])('rejects %s before the handler runs, and names event.request', async (_, input) => {
  let runs = 0
  const handle = withLock({ redlock, key: 'rejected' }, () => ({ ran: ++runs })) as (
    ...args: unknown[]
  ) => Promise<unknown>
  await expect(handle(input, { end: 1 })).rejects.toThrow('pass `event.request`')
  expect(runs).toBe(0)
})
