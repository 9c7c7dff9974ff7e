import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { fromEnv, type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { delayRequest } from '../../tools/faults.ts'
import { during, type Fault, withFault } from '../support/faults.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey, holders } from '../support/nodes.ts'

type Env = { REDLOCK_NODES: string }

/** Runs a test with the global request context of Vercel, and the work passed to its `waitUntil`. */
const onVercel = async (
  deadline: Date | undefined,
  run: (works: Promise<unknown>[]) => Promise<void>,
): Promise<void> => {
  const works: Promise<unknown>[] = []
  const context = { waitUntil: (work: Promise<unknown>) => void works.push(work), deadline }
  const symbol = Symbol.for('@vercel/request-context')
  Object.assign(globalThis, { [symbol]: { get: () => context } })
  try {
    await run(works)
  } finally {
    Object.assign(globalThis, { [symbol]: undefined })
  }
}

/** The least that tells an HTTP event from the argument of another platform. */
const httpEvent = { httpMethod: 'POST', path: '/' }

/** The tests of functions without a framework, for every runtime. */
export const functions = (name: string, servers: readonly RestNodeOptions[]): void => {
  const { behind, heldBy, noneLeft } = heldOn(servers)
  const redlock = new Redlock({ nodes: servers })
  const env: Env = { REDLOCK_NODES: JSON.stringify(servers) }
  const get = (): Request => new Request('https://example.com/report')
  const none = servers.map(() => null)
  const far = delayRequest(() => 150)

  describe(`${name}: withLock`, () => {
    it('takes client and key from the request, and passes the lock to the handler', async () => {
      const key = freshKey()
      const handler = withLock(
        { redlock: (_request, env: Env) => fromEnv(env), key: () => key },
        (request, env, _ctx, lock) => {
          expectTypeOf(request).toEqualTypeOf<Request>()
          expectTypeOf(env).toEqualTypeOf<Env>()
          expectTypeOf(lock).toEqualTypeOf<Lock | undefined>()
          return new Response(`${new URL(request.url).pathname} ${lock?.held}`)
        },
      )
      const response = await handler(get(), env)
      expectTypeOf(response).toEqualTypeOf<Response>()
      expect(await response.text()).toBe('/report true')
      await noneLeft(key)
    })

    it('reenters the lock in nested functions', async () => {
      const key = freshKey()
      const inner = withLock({ redlock, key }, (_request, _env, _ctx, lock) =>
        Promise.resolve(new Response(String(lock?.held))),
      )
      const outer = withLock({ redlock, key }, async (request) => {
        const response = await inner(request)
        return new Response(
          `${await response.text()}, ${(await heldBy(key)).filter(Boolean).length}`,
        )
      })
      expect(await (await outer(get())).text()).toMatch(/^true, [3-5]$/)
      await noneLeft(key)
    })
  })

  describe(`${name}: on Vercel`, () => {
    it('passes the release to waitUntil of the request context', async () => {
      const key = freshKey()
      await onVercel(undefined, async (works) => {
        const handler = withLock({ redlock, key }, () => new Response(null, { status: 204 }))
        await handler(get())
        expect(works.length).toBeGreaterThan(0)
        await Promise.all(works)
        expect(await heldBy(key)).toEqual(none)
      })
    })

    it('holds no lock beyond the deadline of the function', async () => {
      const key = freshKey()
      await onVercel(new Date(Date.now() + 2100), async () => {
        const handler = withLock(
          { redlock, key, ttl: 1200 },
          async (_request, _env, _ctx, lock) => {
            const begun = performance.now()
            await vi.waitFor(() => expect(lock!.held).toBe(false), { timeout: 20_000 })
            return new Response(String(performance.now() - begun))
          },
        )
        const held = Number(await (await handler(get())).text())
        // The deadline allows one extension, and a second one that is shorter.
        expect(held).toBeGreaterThan(1300)
        expect(held).toBeLessThan(2700)
      })
    })
  })

  describe(`${name}: on Lambda`, () => {
    type Event = { readonly user: string; readonly headers?: Record<string, string> }
    const context = (left: number): { getRemainingTimeInMillis: () => number } => {
      const end = Date.now() + left
      return { getRemainingTimeInMillis: () => end - Date.now() }
    }

    it('returns plain results for events, after the release', async () => {
      const key = freshKey()
      const handler = withLock({ redlock, key: (event: Event) => event.user }, (event) => ({
        statusCode: 200,
        body: event.user,
      }))
      // Lambda would pass a callback to a handler with three parameters.
      expect(handler.length).toBe(0)
      expect(await handler({ ...httpEvent, user: key }, context(5000))).toEqual({
        statusCode: 200,
        body: key,
      })
      expect(await heldBy(key)).toEqual(none)
      const held = await redlock.acquire(key)
      const rejected = await handler({ ...httpEvent, user: key }, context(5000))
      expect(rejected).toMatchObject({
        statusCode: 409,
        headers: { 'retry-after': '1', 'content-type': 'application/problem+json' },
        body: expect.stringContaining('Another request is being processed.') as string,
      })
      await held.release()
    })

    it('waits for a late node, since Lambda freezes after the response', async () => {
      const key = freshKey()
      let underWay = 0
      const late: Fault = async (request, send) => {
        underWay++
        const response = await far(request, send)
        underWay--
        return response
      }
      const nodes = servers.map((node, index) =>
        index === 0 ? withFault(node, during('a', late)) : node,
      )
      const handler = withLock({ redlock: new Redlock({ nodes }), key }, (_event: object) => ({
        statusCode: 200,
      }))
      await handler({ ...httpEvent }, context(5000))
      expect(underWay).toBe(0)
      expect(await heldBy(key)).toEqual(none)
    })

    it('waits for all nodes of a throttle as well', async () => {
      const key = freshKey()
      const nodes = servers.map((node, index) => (index === 0 ? withFault(node, far) : node))
      const client = new Redlock({ nodes })
      const handler = withThrottle({ redlock: client, key, window: 60_000 }, (_event: object) => ({
        statusCode: 202,
      }))
      await handler({ ...httpEvent }, context(5000))
      expect(await holders(behind, `lock:t:${key}`)).not.toContain(null)
    })

    it('tells a rejection from an outage at the end of the remaining time, also with far nodes', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const client = new Redlock({ nodes: servers.map((node) => withFault(node, far)) })
      const handler = withLock({ redlock: client, key, wait: 60_000 }, (_event: object) => ({
        statusCode: 200,
      }))
      expect(await handler({ ...httpEvent }, context(2000))).toMatchObject({ statusCode: 409 })
      await held.release()
    })

    it('holds no lock beyond the remaining time, also after a wait', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const handler = withLock(
        { redlock, key, wait: 60_000 },
        async (_event: object, _context, _callback, lock) => [
          left.getRemainingTimeInMillis(),
          lock!.expiresIn,
        ],
      )
      // The fraction must be rounded, since Redis takes only whole milliseconds.
      const left = context(2000.5)
      const waiting = handler({ ...httpEvent }, left)
      await new Promise((resolve) => setTimeout(resolve, 500))
      await held.release()
      const [remaining, expiresIn] = (await waiting) as [number, number]
      expect(expiresIn).toBeGreaterThan(0)
      expect(expiresIn).toBeLessThanOrEqual(remaining)
    })

    it('waits no longer than the remaining time', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const handler = withLock({ redlock, key, wait: 60_000 }, (_event: object) => ({
        statusCode: 200,
      }))
      expect(await handler({ ...httpEvent }, context(2000))).toMatchObject({ statusCode: 409 })
      await held.release()
    })
  })

  it(`${name}: rejects a missing handler when the function is created`, () => {
    expect(() => withLock({ redlock, key: 'k' }, undefined as never)).toThrow('`handler`')
    expect(() => withThrottle({ redlock, key: 'k', window: 50 }, 1 as never)).toThrow('`handler`')
  })
}
