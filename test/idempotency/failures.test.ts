import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it, vi } from 'vitest'
import {
  idempotent,
  isReplayedError,
  once,
  type ReplayedError,
  withIdempotency,
} from '../../src/entries/idempotency.ts'
import { type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// What a repeated request gets after a run that has failed: how it failed x adapter x `failures`.

const scope = (): string => 'ada'
const post = (): Request =>
  new Request('https://shop.example/orders/7', {
    method: 'POST',
    headers: { 'idempotency-key': 'a-key' },
  })

/** A body that fails after its first part. */
const failingBody = (): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(3)),
      pull: () => Promise.reject(new Error('the source failed')),
    }),
  )

type Fail = () => Response | never
const fails: readonly (readonly [name: string, fail: Fail, status: number])[] = [
  [
    'an error',
    () => {
      throw new Error('charged, and then failed')
    },
    500,
  ],
  [
    'an error with a status',
    () => {
      throw Object.assign(new Error('no'), { statusCode: 409 })
    },
    409,
  ],
  [
    'text',
    () => {
      // oxlint-disable-next-line typescript/only-throw-error -- as some handlers do
      throw 'failed'
    },
    500,
  ],
  ['a body that fails', failingBody, 500],
  ['a 500', () => new Response('oops', { status: 500 }), 500],
  [
    'a body that broke off',
    () => new Response('half', { headers: { 'content-length': '10' } }),
    500,
  ],
  ['a network error', () => Response.error(), 500],
  ['a 429', () => new Response(null, { status: 429 }), 429],
  [
    'a 503 with Retry-After',
    () => new Response(null, { status: 503, headers: { 'retry-after': '1' } }),
    503,
  ],
]

type Serve = (fail: Fail, failures: 'retry' | 'replay' | undefined) => () => Promise<Response>

const adapters: readonly (readonly [name: string, serve: Serve])[] = [
  [
    'withIdempotency()',
    (fail, failures) => {
      const redlock = new Redlock({ nodes: memoryNodes(3) })
      const handle = withIdempotency({ redlock, scope, failures }, async () => fail())
      // As a platform does with an error.
      return () => handle(post()).catch(() => new Response('platform', { status: 500 }))
    },
  ],
  [
    'idempotent() of Hono',
    (fail, failures) => {
      const redlock = new Redlock({ nodes: memoryNodes(3) })
      const app = new Hono().post('/orders/:id', idempotent({ redlock, scope, failures }), fail)
      app.onError((_error, c) => c.text('app', 500))
      return async () => {
        try {
          return await app.request(post())
        } catch {
          return new Response('platform', { status: 500 })
        }
      }
    },
  ],
]

describe.each(adapters)('%s', (adapter, serve) => {
  it.each(fails)('with failures retry, %s runs again', async (_, fail) => {
    const run = vi.fn(fail)
    for (const failures of ['retry', undefined] as const) {
      const send = serve(run, failures)
      await send()
      expect((await send()).headers.has('idempotent-replayed')).toBe(false)
    }
    expect(run).toHaveBeenCalledTimes(4)
  })

  it.each(fails)(
    'with failures replay, %s runs once, and is replayed',
    async (name, fail, status) => {
      const run = vi.fn(fail)
      const send = serve(run, 'replay')
      await send()
      const replay = await send()
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      const isHandledByHono = adapter.includes('Hono') && name.startsWith('an error')
      expect(replay.status).toBe(isHandledByHono ? 500 : status)
      // Never the text of an error, which may be a secret.
      expect(await replay.text()).not.toMatch(/charged|source/)
      expect(run).toHaveBeenCalledTimes(1)
    },
  )
})

it('the response of app.onError is what is replayed in Hono', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const app = new Hono().post(
    '/orders/:id',
    idempotent({ redlock, scope, failures: 'replay' }),
    () => {
      throw new HTTPException(402, { message: 'no money' })
    },
  )
  const [first, replay] = [await app.request(post()), await app.request(post())]
  expect([first.status, await first.text()]).toEqual([402, 'no money'])
  expect([replay.status, await replay.text()]).toEqual([402, 'no money'])
})

it('the failed body of a thrown Response is replayed as a 500 that is returned', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const run = vi.fn(async (): Promise<Response> => {
    throw failingBody()
  })
  const handle = withIdempotency({ redlock, scope, failures: 'replay' }, run)
  await expect(handle(post())).rejects.toThrow('the source failed')
  expect((await handle(post())).status).toBe(500)
  expect(run).toHaveBeenCalledTimes(1)
})

it('shouldRecord sees the response of an error with failures replay, and decides', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const seen: number[] = []
  let runs = 0
  const handle = withIdempotency(
    { redlock, scope, failures: 'replay', shouldRecord: ({ status }) => seen.push(status) < 0 },
    async (): Promise<Response> => {
      runs++
      throw new Error('no')
    },
  )
  for (let turn = 0; turn < 2; turn++) await expect(handle(post())).rejects.toThrow('no')
  expect([seen, runs]).toEqual([[500, 500], 2])
})

describe.each<[string, () => boolean | Promise<boolean>]>([
  [
    'throws',
    () => {
      throw new Error('no rule')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no rule'))],
])('shouldRecord %s', (_, shouldRecord) => {
  const redlock = (): Redlock => new Redlock({ nodes: memoryNodes(3), warnings: false })

  it.each(fails)('with failures replay, %s runs once, and is replayed', async (_name, fail) => {
    const run = vi.fn(async () => fail())
    const handle = withIdempotency(
      { redlock: redlock(), scope, failures: 'replay', shouldRecord },
      run,
    )
    await handle(post()).catch(() => {})
    for (let turn = 0; turn < 2; turn++) {
      const replay = await handle(post())
      expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([500, 'true'])
    }
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('with failures replay, its own call gets its error', async () => {
    const handle = withIdempotency(
      { redlock: redlock(), scope, failures: 'replay', shouldRecord },
      async () => new Response('charged'),
    )
    await expect(handle(post())).rejects.toThrow('no rule')
  })

  it('with failures retry, the request runs again', async () => {
    const run = vi.fn(async () => new Response('charged'))
    const handle = withIdempotency({ redlock: redlock(), scope, shouldRecord }, run)
    for (let turn = 0; turn < 2; turn++) await expect(handle(post())).rejects.toThrow('no rule')
    expect(run).toHaveBeenCalledTimes(2)
  })
})

it('a run that fails warns once per route, without ids of its path, and tells onEvent each time', async () => {
  const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const events: LockEvent[] = []
  const onEvent = (event: LockEvent): void => void events.push(event)
  const redlock = new Redlock({ nodes: memoryNodes(3), onEvent, warnings: true })
  const handle = withIdempotency({ redlock, scope }, async (): Promise<Response> => {
    throw new Error('a secret')
  })
  for (let turn = 0; turn < 3; turn++)
    await expect(handle(new Request('https://shop.example/a7f/pay', post()))).rejects.toThrow(
      'a secret',
    )
  const told = warnings.mock.calls
    .map(([text]) => String(text))
    .filter((text) => /so nothing was recorded/.test(text))
  warnings.mockRestore()
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('POST /:id/pay failed')
  expect(told[0]).toContain("failures: 'replay'")
  expect(told[0]).not.toContain('secret')
  expect(events.filter(({ type }) => type === 'not-recorded')).toHaveLength(3)
})

it('a handler that returns no Response runs once, and both callers are told', async () => {
  const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const run = vi.fn(() => ({ data: 1 }))
  const handle = withIdempotency({ redlock, scope }, run as never)
  await expect(handle(post())).rejects.toThrow('a function that returns a Response; got object')
  const repeated = await handle(post())
  const told = warnings.mock.calls.map(([text]) => String(text))
  warnings.mockRestore()
  expect(repeated.status).toBe(409)
  expect(run).toHaveBeenCalledTimes(1)
  expect(told.filter((text) => /returns a Response/.test(text))).toHaveLength(1)
})

describe('once()', () => {
  const charge = (): never => {
    throw Object.assign(new TypeError('card declined'), { code: 'declined', status: 402 })
  }

  it('with failures replay, rejects later calls with the error of the run, as data', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const run = vi.fn(charge)
    const call = (): Promise<unknown> =>
      once(redlock, 'charge:7', { keepFor: 60_000, failures: 'replay' }, run)
    await expect(call()).rejects.toThrow(TypeError)
    const error = (await call().catch((reason: unknown) => reason)) as ReplayedError
    expect(isReplayedError(error)).toBe(true)
    expect(error).toMatchObject({
      name: 'ReplayedError',
      keys: ['charge:7'],
      failure: { name: 'TypeError', message: 'card declined', code: 'declined', status: 402 },
      status: 402,
      statusCode: 402,
    })
    expect(error.message).toBe(
      'An earlier run for "charge:7" has failed: TypeError: card declined (ERL06)',
    )
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('rejects twenty callers at once after one run', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const run = vi.fn(charge)
    const call = (): Promise<unknown> =>
      once(redlock, 'k', { keepFor: 60_000, failures: 'replay' }, run)
    const results = await Promise.allSettled(Array.from({ length: 20 }, call))
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(20)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it.each<[string, () => unknown]>([
    ['a message of 200 KB', () => new Error('x'.repeat(200_000))],
    [
      'a status that cannot be read',
      () => Object.defineProperty(new Error('odd'), 'status', { get: () => charge() }),
    ],
  ])('with failures replay, records an error with %s, and frees nothing', async (_, make) => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const run = vi.fn(() => {
      throw make()
    })
    const call = (): Promise<unknown> =>
      once(redlock, 'k', { keepFor: 60_000, failures: 'replay' }, run)
    await expect(call()).rejects.toBeInstanceOf(Error)
    const error = (await call().catch((reason: unknown) => reason)) as ReplayedError
    expect(isReplayedError(error)).toBe(true)
    expect(error.failure.message.length).toBeLessThanOrEqual(1000)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('with failures retry, runs again, and its error is its own', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const run = vi.fn(charge)
    for (let turn = 0; turn < 2; turn++) {
      const call = once(redlock, 'k', { keepFor: 60_000, failures: 'retry' }, run)
      await expect(call).rejects.toThrow('card declined')
    }
    expect(run).toHaveBeenCalledTimes(2)
  })
})
