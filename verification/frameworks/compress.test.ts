import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { idempotent, type NodeMiddleware, type NodeRequest } from '../../src/entries/node.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

type App = {
  readonly register: (plugin: unknown, options?: object) => unknown
  readonly addHook: (name: string, hook: NodeMiddleware<NodeRequest, never>) => unknown
  readonly post: (path: string, handler: unknown) => unknown
  readonly listen: (options: object) => Promise<string>
  readonly close: () => Promise<unknown>
}

/** Decodes a body, like a client that accepts its encoding. */
const decodedBy = (encoding: string | undefined, body: Buffer): string => {
  const decode = { zstd: zstdDecompressSync, gzip: gunzipSync, br: brotliDecompressSync }[
    encoding ?? ''
  ]
  return String(decode?.(body) ?? body)
}

const load = async <T>(name: string): Promise<T> => (await import(name)) as T

it('@fastify/compress: each client gets the body in an encoding that it accepts', async () => {
  const { fastify } = await load<{ fastify: (options: object) => App }>('fastify')
  const { default: compress } = await load<{ default: unknown }>('@fastify/compress')
  const app = fastify({ forceCloseConnections: true })
  await app.register(compress, { threshold: 0 })
  const redlock = new Redlock({ nodes: memoryNodes(3), warnings: false })
  app.addHook('preHandler', idempotent({ redlock, scope: () => 'user' }))
  app.post('/', async () => ({ text: 'x'.repeat(2000) }))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const post = (key: string, accepted: string): Promise<[string | undefined, string]> =>
    new Promise((resolve, reject) => {
      const headers = { 'idempotency-key': key, 'accept-encoding': accepted }
      request(url, { method: 'POST', headers }, (response) => {
        const encoding = response.headers['content-encoding']
        buffer(response).then((body) => resolve([encoding, decodedBy(encoding, body)]), reject)
      })
        .on('error', reject)
        .end()
    })
  try {
    for (const first of ['gzip', 'br', 'gzip, br, zstd', 'identity']) {
      for (const accepted of [first, 'identity', 'br', 'gzip']) {
        const [encoding = 'identity', body] = await post(`${first.length}`, accepted)
        expect(encoding === 'identity' || accepted.includes(encoding)).toBe(true)
        expect(JSON.parse(body)).toEqual({ text: 'x'.repeat(2000) })
      }
    }
  } finally {
    await app.close()
  }
})
