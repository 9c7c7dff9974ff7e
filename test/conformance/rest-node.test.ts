import { once } from 'node:events'
import { type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { Redlock, type RedlockOptions } from '../../src/index.ts'
import { type ReplyTuple, writeReply } from '../../tools/redis-wire.ts'
import { eventually } from '../support/eventually.ts'
import { type Handler, serveHttp } from '../support/http-server.ts'

// A REST node whose server misbehaves in ways that Redis does not.

const token = 'secret-token'
const serve = async (handler: Handler): Promise<string> => (await serveHttp(handler)).url

const attempt = (url: string, options: Partial<RedlockOptions> = {}) =>
  new Redlock({ nodes: [{ url, token }], ...options }).tryAcquire('key')

/** The reply of a Redis that grants the lock. */
const grantOf = async (request: IncomingMessage): Promise<ReplyTuple> => {
  const words = JSON.parse(await text(request)) as string[]
  const [operation, owner] = words.slice(3 + Number(words[2]))
  const echo = `${operation}${owner}`
  return writeReply({ echo, status: 'granted', left: -1, holder: '', counter: 1 })
}
const granting =
  (status: number): Handler =>
  async (request, response) => {
    const result = await grantOf(request)
    response.writeHead(status).end(JSON.stringify({ result }))
  }

const errorOf = (result: Awaited<ReturnType<typeof attempt>>): string =>
  result.ok ? 'granted' : (result.nodes[0]?.error?.message ?? 'no error')

describe('a REST node', () => {
  it('counts a grant only with HTTP 200', async () => {
    expect(await attempt(await serve(granting(200)))).toMatchObject({ ok: true })
    for (const status of [201, 203, 400, 404, 500, 503]) {
      const result = await attempt(await serve(granting(status)))
      expect(errorOf(result)).toBe(`HTTP ${status}, not a Redis reply`)
    }
  })

  it.each([[1], [true], [{}], [['NOSCRIPT']], [{ includes: 'NOSCRIPT' }]])(
    'does not take %j for the error of Redis',
    async (error) => {
      for (const status of [200, 400]) {
        const requests = vi.fn<() => void>()
        const url = await serve(async (_request, response) => {
          requests()
          response.writeHead(status).end(JSON.stringify({ error }))
        })
        expect(errorOf(await attempt(url))).toMatch(
          new RegExp(`^HTTP ${status}\\b.*, not a Redis reply$`),
        )
        expect(requests).toHaveBeenCalledTimes(1)
      }
    },
  )

  it('accepts a custom fetch, or an object with a fetch method, which it calls on that object', async () => {
    const url = await serve(granting(200))
    const binding = {
      fetch(this: unknown, input: string, init: RequestInit): Promise<Response> {
        if (this !== binding) throw new TypeError('Illegal invocation')
        return fetch(input, init)
      },
    } as { fetch: typeof fetch }
    for (const option of [binding, fetch, undefined]) {
      const node = { url, token, ...(option && { fetch: option }) }
      expect(await new Redlock({ nodes: [node] }).tryAcquire('key')).toMatchObject({ ok: true })
    }
    for (const invalid of ['fetch', {}, null]) {
      const nodes = [{ url, token, fetch: invalid as never }]
      expect(() => new Redlock({ nodes })).toThrow('`nodes[0].fetch`')
    }
  })

  it('drops the arguments that Redis quotes in an error', async () => {
    const url = await serve((_, response) => {
      const error = `ERR unknown command 'EVALSHA', with args beginning with: 'lock:x:c956e4ba-648f-4e11`
      response.writeHead(400).end(JSON.stringify({ error }))
    })
    expect(errorOf(await attempt(url))).toBe(`ERR unknown command 'EVALSHA'`)
  })

  it('does not follow a redirect, which could send the token elsewhere', async () => {
    const elsewhere = vi.fn<Handler>(granting(200))
    const target = await serve(elsewhere)
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((_, response) => {
        response.writeHead(status, { location: target }).end()
      })
      expect(await attempt(url)).toMatchObject({ ok: false, reason: 'unavailable' })
    }
    expect(elsewhere).not.toHaveBeenCalled()
  })

  it('cancels a request whose body does not end before the timeout', async () => {
    const hungUp = vi.fn<() => void>()
    const url = await serve((_, response) => {
      response.on('close', hungUp)
      response.writeHead(200).write('{"result":')
    })
    const result = await attempt(url, { nodeTimeout: 100 })
    expect(errorOf(result)).toBe('no answer in 100 ms')
    await eventually(() => expect(hungUp).toHaveBeenCalled())
  })

  it('cancels a request whose body is longer than any reply', async () => {
    const chunk = Buffer.alloc(65_536, ' ')
    const heads: [string, (chunk: Buffer) => Buffer][] = [
      ['', (chunk) => chunk],
      // The compressed body is short, the decompressed one is not.
      ['gzip', (chunk) => gzipSync(chunk)],
    ]
    for (const [encoding, encode] of heads) {
      let sent = 0
      const hungUp = vi.fn<() => void>()
      const url = await serve(async (request, response) => {
        response.on('close', hungUp)
        response.writeHead(200, encoding ? { 'content-encoding': encoding } : {})
        response.write(encode(Buffer.from(JSON.stringify({ result: await grantOf(request) }))))
        while (!response.destroyed) {
          sent += chunk.length
          if (!response.write(encode(chunk))) {
            await Promise.race([once(response, 'drain'), once(response, 'close')])
          }
          // The client runs in this process too, and needs its turn.
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
      const result = await attempt(url, { nodeTimeout: 10_000, ttl: 30_000 })
      expect(errorOf(result)).toBe('HTTP 200, not a Redis reply')
      await eventually(() => expect(hungUp).toHaveBeenCalled())
      expect(sent).toBeLessThan(32 * 2 ** 20)
    }
  })

  it('reads a reply in pieces, as text only, and from a Node stream', async () => {
    const metadata = '💥'.repeat(1_000)
    const holder = `h12345678 ${metadata}`
    const replyTo = ({ body }: RequestInit): string => {
      const words = JSON.parse(body as string) as string[]
      const [operation, owner] = words.slice(3 + Number(words[2]))
      const echo = `${operation}${owner}`
      const result = writeReply({ echo, status: 'locked', left: 5, holder, counter: 1 })
      return JSON.stringify({ result })
    }
    const inPieces = (text: string): Response => {
      // Chunks of seven bytes split characters of four bytes at every position.
      const bytes = new TextEncoder().encode(text)
      let at = 0
      const pull = (controller: ReadableStreamDefaultController): void => {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, (at += 7)))
        else controller.close()
      }
      return new Response(new ReadableStream({ pull }))
    }
    const textOnly = (text: string): Response =>
      ({ status: 200, text: async () => text }) as Response
    // Older libraries for Node return such a body.
    const ofNode = (text: string): Response =>
      ({ status: 200, text: async () => text, body: Readable.from([text]) }) as unknown as Response
    for (const make of [inPieces, textOnly, ofNode]) {
      const nodes = [
        { url: 'http://one.example', token, fetch: async (_, init) => make(replyTo(init!)) },
      ] satisfies RedlockOptions['nodes']
      const result = await new Redlock({ nodes }).tryAcquire('key')
      expect(result).toMatchObject({ reason: 'locked', nodes: [{ metadata, holder: '12345678' }] })
    }
  })

  it('reports the reason for a failure, but no secret, in results and errors', async () => {
    let seen = ''
    const url = await serve(async (request, response) => {
      const words = JSON.parse(await text(request)) as string[]
      seen = words[4 + Number(words[2])]!.split(' ')[0]!
      const error = `ERR no luck with ${seen} and ${request.headers.authorization}`
      response.writeHead(400).end(JSON.stringify({ error }))
    })
    expect(errorOf(await attempt(url))).toBe('ERR no luck with *** and Bearer ***')
    const redlock = new Redlock({ nodes: [{ url, token }], retry: { attempts: 1 } })
    const error: unknown = await redlock
      .acquire('key', { metadata: 'worker 3' })
      .catch((reason: unknown) => reason)
    expect(String(error)).toContain('ERR no luck with *** and Bearer ***')
    expect(String(error)).toContain(url)
    expect(String(error)).not.toContain(seen)
  })
})
