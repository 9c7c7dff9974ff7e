import { Hono, type MiddlewareHandler } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { lock, throttle } from '../../src/entries/hono.ts'
import { type LockEvent, Redlock, withTracing } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

const events: LockEvent[] = []
const redlock = new Redlock({ nodes: memoryNodes(3), onEvent: (event) => void events.push(event) })
const span = { setAttribute: () => {}, end: () => {} }
const tracer = { startActiveSpan: <T>(_: string, run: (s: typeof span) => T): T => run(span) }
const traced = withTracing(redlock, { tracer: { ...tracer, startSpan: () => span } })

let calls = 0
const answer = (): Response => {
  calls++
  return new Response('done')
}
type Key = () => null
type Options = { readonly redlock: Redlock; readonly key: Key }

/** Answers a request by Hono, where an error is a 500. */
const byHono = (middleware: MiddlewareHandler) => async (): Promise<number> => {
  const app = new Hono().get('/', middleware, answer)
  app.onError((error) => new Response(error.message, { status: 500 }))
  return (await app.request('/')).status
}

/** Answers a request by a wrapped function, where an error is a 500 as the platform sends it. */
const byFetch = (handle: (input: Request) => Promise<Response>) => async (): Promise<number> => {
  const response = handle(new Request('https://example.com/'))
  return response.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof TypeError ? 500 : 0),
  )
}

const forms: [string, (options: Options) => () => Promise<number>][] = [
  ['lock()', (options) => byHono(lock(options))],
  ['throttle()', (options) => byHono(throttle({ ...options, window: 5_000 }))],
  ['withLock()', (options) => byFetch(withLock(options, answer))],
  ['withThrottle()', (options) => byFetch(withThrottle({ ...options, window: 5_000 }, answer))],
]

beforeEach(() => {
  calls = 0
  events.length = 0
})

describe.each(forms)('%s', (name, form) => {
  it('rejects a request whose key is undefined by accident', async () => {
    const ask = form({ redlock, key: (() => undefined) as unknown as Key })
    expect([await ask(), await ask(), calls]).toEqual([500, 500, 0])
    expect(events).toEqual([])
  })

  it('lets a request pass whose key is null, and reports that', async () => {
    const ask = form({ redlock, key: () => null })
    expect([await ask(), await ask(), calls]).toEqual([200, 200, 2])
    const kind = name.toLowerCase().includes('lock') ? 'lock' : 'throttle'
    expect(events).toEqual([
      { kind, type: 'skipped', keys: [] },
      { kind, type: 'skipped', keys: [] },
    ])
  })

  it('reports it with withTracing as well', async () => {
    expect(await form({ redlock: traced, key: () => null })()).toBe(200)
    expect(events.map(({ type }) => type)).toEqual(['skipped'])
  })
})

it('names null in the error, and accepts no null that is no decision about a request', async () => {
  const handle = withLock({ redlock, key: (() => undefined) as unknown as Key }, answer)
  await expect(handle(new Request('https://example.com/'))).rejects.toThrow(
    '`key` must be text, an array or null; got undefined',
  )
  expect(() => withLock({ redlock, key: null as never }, answer)).toThrow('`key`')
})
