import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { idempotent, lock } from '../../src/entries/node.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { type Handler, send, serve } from './serve.ts'

// What a handler may do to its response or its connection by mistake. `verification/frameworks` has the table of what
// fails after the end, in each framework.

const redlock = (ttl = 5000): Redlock =>
  new Redlock({ nodes: memoryNodes(3), ttl, warnings: false })
const headers = { 'idempotency-key': 'a' }

const middleware = {
  lock: () => lock({ redlock: redlock(), key: 'k', wait: 5000 }),
  idempotent: () => idempotent({ redlock: redlock(), scope: () => 'user', wait: 5000 }),
  'idempotent, replay': () =>
    idempotent({ redlock: redlock(), scope: () => 'user', wait: 5000, failures: 'replay' }),
} as const
type Name = keyof typeof middleware
const names = Object.keys(middleware) as Name[]

it.each(names)('%s: sends the response of a handler that throws after its end', async (name) => {
  const guard = middleware[name]()
  let runs = 0
  const thrown: string[] = []
  const port = await serve((req, res) => {
    const done = guard(req, res, () => {
      runs++
      res.end('done')
      throw new Error('late')
    })
    return done?.catch((error: unknown) => void thrown.push(String(error)))
  })
  for (let turn = 0; turn < 2; turn++) {
    expect(await send(port, { headers })).toMatchObject({ status: 200, body: 'done' })
  }
  const expected = name === 'lock' ? 2 : 1
  expect(runs).toBe(expected)
  await vi.waitFor(() => expect(thrown).toEqual(Array(expected).fill('Error: late')))
})

describe.each(names)('%s, HTTP/2', (name) => {
  it.each<[string, (stream: ServerHttp2Stream) => unknown]>([
    ['destroys', (stream) => stream.destroy()],
    ['closes', (stream) => stream.close()],
  ])('sends the response of a handler that %s its stream after its end', async (_, close) => {
    const guard = middleware[name]()
    const server = createServer((req, res) => {
      void guard(req, res, () => {
        res.end('done')
        close(res.stream)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    for (let turn = 0; turn < 2; turn++) {
      expect(await text(client.request({ ':method': 'POST', ...headers }).end())).toBe('done')
    }
  })
})

type Mistake = (res: ServerResponse) => unknown
const mistakes: readonly (readonly [string, string | undefined, Mistake])[] = [
  ['end(123)', 'ERR_INVALID_ARG_TYPE', (res) => res.end(123 as never)],
  ['end({})', 'ERR_INVALID_ARG_TYPE', (res) => res.end({} as never)],
  ['end(new Uint16Array(1))', 'ERR_INVALID_ARG_TYPE', (res) => res.end(new Uint16Array(1))],
  ['write({})', 'ERR_INVALID_ARG_TYPE', (res) => res.write({})],
  ['write(undefined)', 'ERR_INVALID_ARG_TYPE', (res) => res.write(undefined)],
  ['write(null)', 'ERR_STREAM_NULL_VALUES', (res) => res.write(null)],
  ['end(null)', undefined, (res) => res.end(null)],
  ['end(0)', undefined, (res) => res.end(0 as never)],
]

describe.each(names)('%s', (name) => {
  it.each(mistakes)('%s does as without the middleware', async (_call, code, mistake) => {
    let runs = 0
    const found: unknown[] = []
    const respond: Handler = (_req, res) => {
      runs++
      try {
        mistake(res)
      } catch (error) {
        found.push((error as { code?: unknown }).code)
        res.statusCode = 500
        res.end('mistake')
      }
    }
    const guard = middleware[name]()
    const guarded: Handler = (req, res) => guard(req, res, () => respond(req, res))
    for (const handler of [respond, guarded]) {
      const port = await serve(handler)
      const { status, body } = await send(port, { headers })
      expect([status, body]).toEqual(code ? [500, 'mistake'] : [200, ''])
    }
    expect([runs, found]).toEqual([2, code ? [code, code] : []])
  })
})

it.each<[string, (req: IncomingMessage, res: ServerResponse) => unknown]>([
  ['res.destroy()', (_req, res) => res.destroy()],
  ['req.destroy()', (req) => req.destroy()],
  ['req.socket.destroy()', (req) => req.socket.destroy()],
  ['res.write() and req.socket.destroy()', (req, res) => res.write('a') && req.socket.destroy()],
  ['res.socket.end()', (_req, res) => res.socket!.end()],
  ['req.destroy() later', (req) => void setTimeout(() => req.destroy(), 20)],
])('%s frees the lock after one ttl', async (_, close) => {
  const oneAtATime = lock({ redlock: redlock(500), key: 'k', wait: 30_000, maxHold: 3_600_000 })
  let runs = 0
  const port = await serve((req, res) =>
    oneAtATime(req, res, () => void (runs++ > 0 ? res.end('done') : close(req, res))),
  )
  await expect(send(port)).rejects.toThrow(/hang up|ECONNRESET/)
  expect((await send(port)).body).toBe('done')
})

it.each(['req', 'res'] as const)('takes %s.raw of an app for what it is', async (part) => {
  const oneAtATime = lock({ redlock: redlock(), key: 'k' })
  const port = await serve((req, res) => {
    Object.assign({ req, res }[part], { raw: Buffer.from('x') })
    return oneAtATime(req, res, () => res.end('done'))
  })
  expect(await send(port)).toMatchObject({ status: 200, body: 'done' })
})

const compared = async (before: (req: IncomingMessage) => unknown) => {
  const guard = idempotent({ redlock: redlock(), scope: () => 'user', wait: 5000 })
  const port = await serve((req, res) => {
    before(req)
    return guard(req, res, async () => void res.end(`got ${await text(req)}`))
  })
  return async (body: string | readonly string[], more = {}) =>
    send(port, { headers: { ...headers, ...more }, body })
}

it.each<[string, (req: IncomingMessage) => unknown]>([
  ['a listener', (req) => req.on('data', () => {})],
  ['a listener that has paused', (req) => req.on('data', () => {}).pause()],
  ['`resume`', (req) => req.resume()],
  ['`readable`', (req) => req.on('readable', () => void req.read())],
  ['`text`', (req) => void text(req)],
])('asks for a fingerprint of a body that %s reads at the same time', async (_, read) => {
  const post = await compared(read)
  for (const body of ['{"n":1}', ['{"n"', ':1}']]) {
    const { status, body: told } = await post(body)
    expect(status).toBe(500)
    expect(told).toContain('put idempotent() before the code that reads it, or set `fingerprint`')
  }
})

it('takes a request without a body, whoever reads it', async () => {
  const post = await compared((req) => req.on('data', () => {}).resume())
  expect(await post('', { 'content-length': '0' })).toMatchObject({ status: 200, body: 'got ' })
  expect((await post('', { 'content-length': '0' })).headers['idempotent-replayed']).toBe('true')
})

it('asks for a fingerprint of a body that `scope` has read', async () => {
  const scope = async (req: IncomingMessage): Promise<string> => `user ${(await text(req)).length}`
  const guard = idempotent({ redlock: redlock(), scope: scope as never })
  const port = await serve((req, res) => guard(req, res, () => res.end('done')))
  const { status, body } = await send(port, { headers, body: ['{"n"', ':1}'] })
  expect(status).toBe(500)
  expect(body).toContain('put idempotent() before the code that reads it, or set `fingerprint`')
})

it('throws for an encoding that no text has, and records nothing', async () => {
  const guard = middleware.idempotent()
  let runs = 0
  const port = await serve((req, res) =>
    guard(req, res, () => res.end('x', runs++ > 0 ? 'utf8' : ('none' as 'utf8'))),
  )
  expect(await send(port, { headers })).toMatchObject({ body: 'TypeError: Unknown encoding: none' })
  expect(await send(port, { headers })).toMatchObject({ status: 200, body: 'x' })
})
