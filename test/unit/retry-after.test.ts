import { expect, it } from 'vitest'
import { toResponse, withLock, withThrottle } from '../../src/entries/fetch.ts'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { later } from '../support/signals.ts'
import { freshKey } from '../options/call.ts'

// `Retry-After` while another holds what a request needs: most holders end long before their ttl.

const redlock = new Redlock({ nodes: memoryNodes(3), warnings: false })
const scope = (): string => 'all'

type Options = { readonly ttl: number; readonly wait: number }
type Handler = (request: Request) => Promise<Response>

/** A handler that another request is in, and the number of the ms that it tells `onRejected`. */
type Busy = { readonly handle: Handler; readonly told: number[]; readonly finish: () => void }

const kinds: Record<string, (options: Options) => Promise<Busy>> = {
  'a lock': async ({ ttl, wait }) => {
    const key = freshKey()
    const lock = await redlock.acquire(key, { ttl })
    const told: number[] = []
    const onRejected = ({ retryAfter }: { retryAfter?: number | undefined }) =>
      void told.push(retryAfter!)
    const handle = withLock({ redlock, key, wait, onRejected }, () => new Response())
    return { handle: async (request) => handle(request), told, finish: () => void lock.release() }
  },
  'an idempotent request': async ({ ttl, wait }) => {
    const { promise, resolve: finish } = later()
    const started = later()
    const told: number[] = []
    const onRejected = ({ retryAfter }: { retryAfter?: number | undefined }) =>
      void told.push(retryAfter!)
    const key = freshKey()
    const options = { redlock, scope, ttl, key: () => key, onRejected }
    const work = async (): Promise<Response> => {
      started.resolve()
      await promise
      return new Response()
    }
    void withIdempotency(options, work)(new Request('https://a.example', { method: 'POST' }))
    await started.promise
    const handle = withIdempotency({ ...options, wait }, work)
    return { handle: async (request) => handle(request), told, finish }
  },
}

it.each(
  Object.entries(kinds).flatMap(([kind, make]) =>
    [
      { ttl: 60_000, wait: 0, header: '1', least: 1_000, most: 1_000 },
      { ttl: 600_000, wait: 0, header: '1', least: 1_000, most: 1_000 },
      { ttl: 400, wait: 0, header: '1', least: 1, most: 400 },
      { ttl: 60_000, wait: 1_300, header: '2', least: 1_200, most: 1_999 },
    ].map((row) => [kind, row, make] as const),
  ),
)('%s: %o', async (_, { ttl, wait, header, least, most }, make) => {
  const { handle, told, finish } = await make({ ttl, wait })
  const response = await handle(new Request('https://a.example', { method: 'POST' }))
  expect([response.status, response.headers.get('retry-after')]).toEqual([409, header])
  expect(told[0]).toBeGreaterThanOrEqual(least)
  expect(told[0]).toBeLessThanOrEqual(most)
  finish()
})

it('an error keeps the bound in ms, and its response says a second', async () => {
  const key = freshKey()
  await redlock.acquire(key, { ttl: 60_000 })
  const error = await redlock.acquire(key, { wait: 0 }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'LockedError', headers: { 'retry-after': '1' } })
  expect((error as { retryAfter: number }).retryAfter).toBeGreaterThan(50_000)
  expect(toResponse(error)!.headers.get('retry-after')).toBe('1')
})

it('a window says when it ends', async () => {
  const key = freshKey()
  const handle = withThrottle({ redlock, key, window: 60_000 }, () => new Response())
  await handle(new Request('https://a.example'))
  const { headers } = await handle(new Request('https://a.example'))
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(50)
})
