import { text } from 'node:stream/consumers'
import { Redis } from '@upstash/redis'
import { describe, expect, it } from 'vitest'
import {
  adopt,
  inspect,
  type LockNode,
  Redlock,
  restNode,
  serialize,
  upstashNode,
} from '../../src/index.ts'
import { type Handler, serveHttp } from '../support/http-server.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

// The report about a node that fails, over real connections.

const [real] = realNodes
const token = 'Zq9-hunter2-Xyz0'

const serve = async (answer: Handler): Promise<string> => (await serveHttp(answer)).url

/** A url where nobody listens. */
const nowhere = async (): Promise<string> => {
  const { url, stop } = await serveHttp(() => {})
  await stop()
  return url
}

const upstash = (url: string, options: object = {}): LockNode =>
  upstashNode(new Redis({ url, token, enableTelemetry: false, retry: false, ...options }))

const kinds: readonly [name: string, connect: (url: string) => LockNode][] = [
  ['restNode', (url) => restNode({ url, token })],
  ['upstashNode', (url) => upstash(url)],
  ['upstashNode without pipelining', (url) => upstash(url, { enableAutoPipelining: false })],
  ['upstashNode without encoding', (url) => upstash(url, { responseEncoding: false })],
]

/** The error that the report of the node has. */
const errorOf = async (node: LockNode): Promise<string> => {
  const result = await new Redlock({ nodes: [node] }).tryAcquire(freshKey())
  expect(result).toMatchObject({ ok: false, reason: 'unavailable', nodes: [{ status: 'error' }] })
  const message = result.ok ? '' : result.nodes[0]!.error!.message
  expect(message).not.toContain(token)
  expect(message).not.toMatch(/undefined|null|\[object|^\s*$/)
  return message
}

describe.each(kinds)('the error of %s', (name, connect) => {
  const isRest = name === 'restNode'

  it('names the cause where the connection is rejected', async () => {
    expect(await errorOf(connect(await nowhere()))).toBe('fetch failed (ECONNREFUSED)')
  })

  it('names the cause where the connection is closed', async () => {
    const url = await serve((request) => request.socket.destroy())
    expect(await errorOf(connect(url))).toMatch(/^fetch failed \((ECONNRESET|UND_ERR_SOCKET)\)$/)
  })

  it('names the cause where the host is unknown', async () => {
    expect(await errorOf(connect('http://nobody.invalid'))).toMatch(
      /^fetch failed \((ENOTFOUND|EAI_AGAIN)\)$/,
    )
  })

  it.each([
    ['no body', ''],
    ['an empty object', '{}'],
    ['an error without text', '{"error":""}'],
    ['an error that is null', '{"error":null}'],
    ['an error that is no text', '{"error":{"code":7}}'],
    ['null', 'null'],
    ['a number', '5'],
    ['a list', '[]'],
    ['a page', '<html>Bad gateway</html>'],
  ])('says what is known of an error status with %s', async (_, body) => {
    const url = await serve((_request, response) => response.writeHead(502).end(body))
    const message = await errorOf(connect(url))
    if (isRest) expect(message).toBe('HTTP 502, not a Redis reply')
    else
      expect(message).toMatch(
        /^(an HTTP response without a message|Unable to parse response body: <html>)/,
      )
  })

  it.each([
    ['no body', ''],
    ['an empty object', '{}'],
    ['null', 'null'],
    ['a number', '5'],
    ['a page', '<html>Welcome</html>'],
    ['a result that is null', '{"result":null}'],
    ['another result', '{"result":["x"]}'],
  ])('says what is known of a success with %s', async (_, body) => {
    const url = await serve((_request, response) => response.end(body))
    expect(await errorOf(connect(url))).toMatch(/not a Redis reply|response|result/)
  })

  it('is the text of the server where there is one', async () => {
    const url = await serve((_request, response) =>
      response.writeHead(401).end(JSON.stringify({ error: `WRONGPASS for ${token}` })),
    )
    expect(await errorOf(connect(url))).toBe('WRONGPASS for ***')
  })
})

describe('a server that ignores the encoding that the Upstash client asks for', () => {
  /** Forwards requests to a real server, without the header. */
  const relay: Handler = async (request, response) => {
    const answer = await fetch(real!.url + request.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${real!.token}` },
      body: await text(request),
    })
    response.writeHead(answer.status).end(await answer.text())
  }

  it.each([
    ['with pipelining', {}],
    ['without pipelining', { enableAutoPipelining: false }],
    ['without parsing', { automaticDeserialization: false }],
  ])('is named, with the option that helps: %s', async (_, options) => {
    const url = await serve(relay)
    const message = await errorOf(upstash(url, options))
    expect(message).toContain('`responseEncoding: false`')
    const lock = await new Redlock({
      nodes: [upstash(url, { ...options, responseEncoding: false })],
    }).acquire(freshKey())
    expect(await lock.release()).toBe('released')
  })

  it('is named also where another holds the lock, and for each operation', async () => {
    const url = await serve(relay)
    const key = freshKey()
    const good = new Redlock({ nodes: [real!] })
    const bad = new Redlock({ nodes: [upstash(url)] })
    const lock = await good.acquire(key)
    const rejected = await bad.tryAcquire(key)
    const inspection = await inspect(bad, key)
    const adopted = adopt(bad, serialize(lock))
    const failed = await adopted.extend().catch((error: unknown) => error)
    const reports = [rejected, inspection, failed].map(
      (one) => (one as { nodes: { error?: Error }[] }).nodes[0]!.error?.message,
    )
    expect(reports).toEqual(Array(3).fill(expect.stringContaining('`responseEncoding: false`')))
    await lock.release()
  })
})

describe('the name of an Upstash client with credentials in its url', () => {
  it('does not show them, nor does an error', async () => {
    const node = upstash('https://user:Zq9-hunter2-Xyz0@nobody.invalid/base')
    expect(node.name).toBe('https://nobody.invalid/base')
    expect(await errorOf(node)).not.toContain('user')
    // Node's fetch rejects such a url, and quotes it.
    expect(await errorOf(node)).toContain('//***@nobody.invalid')
  })
})
