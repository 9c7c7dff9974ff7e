import { Hono } from 'hono'
import { afterAll, expect, it, vi } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { fenced, memoryGuard, StaleTokenError } from '../../src/entries/guards.ts'
import { once, toResponse, withIdempotency } from '../../src/entries/idempotency.ts'
import { lock as nodeLock } from '../../src/entries/node.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { Redlock, type RedlockOptions } from '../../src/index.ts'
import { type Code, codes } from '../../src/util/codes.ts'
import { invariant } from '../../src/util/validate.ts'
import { downNode } from '../support/down-node.ts'
import { freshKey } from '../support/nodes.ts'
import { send, serve } from '../node/serve.ts'

// Each code, as users see it: at the end of a message on the console or of an error, or in the `type` of a response.

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
afterAll(() => warn.mockRestore())

const client = (options: Partial<RedlockOptions> = {}): Redlock =>
  new Redlock({ nodes: memoryNodes(3), ...options })
const downNodes = () => ['down-1', 'down-2', 'down-3'].map((name) => downNode(name))

const request = (headers: Record<string, string> = {}, body = ''): Request =>
  new Request('https://shop.example/orders', { method: 'POST', headers, body })
const keyed = (key: string, body?: string): Request => request({ 'idempotency-key': key }, body)

/** The message of the error that a call throws. */
const thrown = async (call: () => unknown): Promise<string> => {
  try {
    await call()
  } catch (error) {
    return (error as Error).message
  }
  return expect.unreachable()
}

/** The warnings that the console shows meanwhile. */
const warned = async (act: () => unknown): Promise<string> => {
  warn.mockClear()
  await act()
  await vi.waitFor(() => expect(warn).toHaveBeenCalled())
  return warn.mock.calls.join('\n')
}

const typeOf = async (response: unknown): Promise<string> => {
  const { headers } = response as Response
  expect(headers.get('content-type')).toBe('application/problem+json')
  const { type } = (await (response as Response).json()) as { type: string }
  expect(type).toMatch(/^urn:edge-redlock:ERL\d\d$/)
  return type
}

const idempotent = (
  handler: (request: Request) => Response | Promise<Response> = () => new Response('done'),
  options: object = {},
) => withIdempotency({ redlock: client(), scope: () => 'ada', ...options }, handler)

/** The type of the last response to these requests, which are sent one after the other. */
const lastType = async (
  handle: (request: Request) => unknown,
  ...requests: Request[]
): Promise<string> => {
  let last: unknown
  for (const one of requests) last = await handle(one)
  return typeOf(last)
}

const service = new Hono().put('/', fenced({ guard: memoryGuard(), resource: 'report' }), (c) =>
  c.text('written'),
)
const put = (token?: string) =>
  service.request('/', { method: 'PUT', headers: token ? { 'fencing-token': token } : {} })

const failed = (): never => {
  throw new Error('oops')
}

/** Requests what happens with each code. There may be several ways, such as an error and a response. */
const ways: Readonly<Record<Code, readonly (() => Promise<string>)[]>> = {
  ERL01: [
    () => thrown(() => client({ ttl: 5 })),
    () => thrown(() => client({ tll: 5 } as object)),
    () => thrown(() => client({ nodes: [] })),
  ],
  ERL02: [
    async () => {
      const redlock = client()
      await using held = await redlock.acquire('k')
      expect(held.held).toBe(true)
      return await thrown(() => redlock.acquire('k'))
    },
    async () => {
      const redlock = client()
      await using held = await redlock.acquire('k')
      expect(held.held).toBe(true)
      return await typeOf(await withLock({ redlock, key: 'k' }, () => new Response())(request()))
    },
  ],
  ERL03: [
    () => thrown(() => client({ nodes: downNodes(), warnings: false }).acquire('k')),
    async () => {
      const redlock = client({ nodes: downNodes(), warnings: false })
      return typeOf(await withLock({ redlock, key: 'k' }, () => new Response())(request()))
    },
    () => warned(() => client({ nodes: downNodes() }).tryAcquire('k')),
  ],
  ERL04: [
    async () => {
      const lock = await client().acquire('k')
      await lock.release()
      return thrown(() => lock.extend())
    },
    async () => {
      const lock = await client().acquire('k')
      await lock.release()
      const error: unknown = await lock.extend().catch((reason: unknown) => reason)
      return typeOf(toResponse(error))
    },
  ],
  ERL05: [
    () => thrown(() => once(client(), 'k', { keepFor: 60_000 }, () => 7n as never)),
    async () => {
      const run = once(client(), 'k', { keepFor: 60_000 }, () => 7n as never)
      return typeOf(toResponse(await run.catch((reason: unknown) => reason)))
    },
  ],
  ERL06: [
    async () => {
      const redlock = client()
      const run = () => once(redlock, 'k', { keepFor: 60_000, failures: 'replay' }, failed)
      await run().catch(() => {})
      return thrown(run)
    },
  ],
  ERL07: [
    async () => new StaleTokenError('report', 7, 8).message,
    async () => {
      await put('8')
      return typeOf(await put('7'))
    },
  ],
  ERL08: [async () => typeOf(await put()), async () => typeOf(await put('x'))],
  ERL09: [
    () => {
      const handle = withThrottle(
        { redlock: client(), key: 'k', window: 60_000 },
        () => new Response(),
      )
      return lastType(handle, request(), request())
    },
  ],
  ERL10: [
    () => lastType(idempotent(), request()),
    () => lastType(idempotent(), keyed('two, keys')),
  ],
  ERL11: [() => lastType(idempotent(), keyed('k', 'one'), keyed('k', 'two'))],
  ERL12: [() => lastType(idempotent(undefined, { maxPayload: 1 }), keyed('k', 'long'))],
  ERL13: [
    async () => {
      let finish: ((response: Response) => void) | undefined
      const handle = idempotent(() => new Promise<Response>((resolve) => (finish = resolve)))
      const first = handle(keyed('k'))
      await vi.waitFor(() => expect(finish).toBeDefined())
      const type = await lastType(handle, keyed('k'))
      finish!(new Response('done'))
      await first
      return type
    },
  ],
  ERL14: [
    () => {
      const handle = idempotent(() => new Response('long'), { maxBody: 1 })
      return lastType(handle, keyed('k'), keyed('k'))
    },
    () => {
      const headers = { 'content-encoding': 'unknown' }
      return warned(() => idempotent(() => new Response('x', { headers }))(keyed('k')))
    },
  ],
  ERL15: [
    async () => {
      const nodes = memoryNodes(3)
      const handle = idempotent(
        () => {
          for (const node of nodes) node.fail(new Error('down'))
          return new Response('done')
        },
        { redlock: client({ nodes, warnings: false }), ttl: 1_000 },
      )
      return lastType(handle, keyed('k'))
    },
  ],
  ERL16: [
    () => warned(() => idempotent(failed)(keyed('k')).catch(() => {})),
    async () => {
      const handle = idempotent(failed, { failures: 'replay' })
      await handle(keyed('k')).catch(() => {})
      return lastType(handle, keyed('k'))
    },
  ],
  ERL17: [
    async () => {
      const read = keyed('k', 'text')
      await read.text()
      return thrown(() => idempotent()(read))
    },
  ],
  ERL18: [
    () => {
      const handle = withLock({ redlock: client(), key: 'k' }, () => new Response())
      return thrown(() => handle({ socket: { on: () => {} } } as never))
    },
  ],
  ERL19: [
    () =>
      warned(async () => {
        const redlock = client({ nodes: [...memoryNodes(2), downNode('wrong')] })
        for (let call = 0; call < 3; call++) await (await redlock.acquire('k')).release()
      }),
  ],
  ERL20: [
    () =>
      warned(async () => {
        const [one, two] = memoryNodes(2)
        await client({ nodes: [one!, two!, { ...two!, name: 'twin' }] }).tryAcquire('k')
      }),
  ],
  ERL21: [() => warned(() => client({ nodes: memoryNodes(2) }))],
  ERL22: [
    () =>
      warned(async () => {
        const redlock = client({ budget: 6 })
        const handle = [1, 2, 3].reduce<(one: Request) => unknown>(
          (inner) => withLock({ redlock, key: () => freshKey() }, inner as () => Response),
          () => new Response(),
        )
        await handle(request())
      }),
  ],
  ERL23: [
    () =>
      warned(() => {
        const node = { url: 'https://seconds.example', token: 't', fetch: async () => failed() }
        return client({ nodes: [node] }).tryAcquire('k', { ttl: 30 })
      }),
  ],
  ERL24: [
    () =>
      warned(async () => {
        const redlock = client()
        const [one, two] = [idempotent(undefined, { redlock }), idempotent(undefined, { redlock })]
        await two(keyed('k'))
        await one(keyed('k'))
      }),
  ],
  ERL25: [
    async () => {
      const redlock = client()
      const pull = (controller: ReadableStreamDefaultController): void =>
        controller.enqueue(new Uint8Array(50_000))
      const handle = withLock(
        { redlock, key: 'k', ttl: 1_000 },
        () => new Response(new ReadableStream({ pull })),
      )
      const response = await handle(request())
      // The lock is free once the response is given up.
      await (await redlock.acquire('k', { wait: 30_000 })).release()
      return thrown(() => response.text())
    },
  ],
  ERL26: [
    () =>
      warned(async () => {
        const middleware = nodeLock({ redlock: client(), key: () => undefined as never })
        const port = await serve((req, res) =>
          middleware(req, res, (error: unknown) => {
            res.end('failed')
            throw error
          }),
        )
        await send(port)
      }),
  ],
  ERL27: [() => thrown(() => invariant(false, 'its quorum'))],
}

it.each(
  Object.entries(ways).flatMap(([code, all]) => all.map((way, at) => [code, at + 1, way] as const)),
)('%s, way %i', async (code, _, way) => {
  expect(await way()).toMatch(new RegExp(`(?: \\(|:)${code}(?:\\)|$)`))
})

it('the codes are in order, without a gap', () => {
  const expected = Object.keys(codes).map((_, at) => `ERL${String(at + 1).padStart(2, '0')}`)
  expect(Object.keys(codes)).toEqual(expected)
})

it('a message that has a text of a node ends in one code', async () => {
  const nodes = [memoryNode({ name: 'well' }), ...downNodes().slice(0, 2)]
  const message = await thrown(() => client({ nodes, warnings: false }).acquire('k'))
  expect(message.match(/\(ERL\d\d\)/g)).toEqual(['(ERL03)'])
  expect(message).toMatch(/\(ERL03\)$/)
})
