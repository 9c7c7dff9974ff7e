import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import {
  lock,
  type LockVariables,
  type RequestRejection,
  throttle,
} from '../../src/entries/hono.ts'
import { type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { during, type Fault, reject, withFault } from '../support/faults.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { later } from '../support/signals.ts'

/** Answers a request, whatever the adapter. */
export type Handle = (lock: Lock | undefined) => Response | Promise<Response>

/** The options that all adapters have in common. */
type Options = {
  readonly redlock: Redlock | (() => Redlock)
  readonly key: string | (() => string | null)
  readonly ttl?: number
  readonly wait?: number
  readonly failOpen?: boolean
  readonly statuses?: { readonly locked: number }
  readonly onRejected?: (rejection: RequestRejection) => Response | undefined
}
type Window = Omit<Options, 'ttl' | 'wait' | 'statuses'> & {
  readonly window: number
  readonly countIf?: (response: Response) => boolean
}

type Send = (init?: RequestInit) => Promise<Response>

/** Puts the lock or the throttle of an adapter in front of a handler. A handler that throws is answered by a 500. */
export type Adapter = {
  readonly name: string
  readonly lock: (options: Options, handle: Handle) => Promise<Send>
  readonly throttle: (options: Window, handle: Handle) => Promise<Send>
}

const url = 'https://example.com/'
const sendTo =
  (serve: (request: Request) => Response | Promise<Response>): Send =>
  async (init) =>
    serve(new Request(url, init))

const inHono: Adapter = (() => {
  const open = (middleware: ReturnType<typeof lock>, handle: Handle): Send => {
    const app = new Hono<{ Variables: LockVariables }>()
    app.onError((_error, c) => c.text('', 500))
    return sendTo(app.all('/', middleware, (c) => handle(c.var.lock)).fetch)
  }
  return {
    name: 'Hono',
    lock: async (options, handle) => open(lock(options), handle),
    throttle: async (options, handle) => open(throttle(options), handle),
  }
})()

const inFunctions: Adapter = (() => {
  const failed = (): Response => new Response('', { status: 500 })
  return {
    name: 'fetch',
    lock: async (options, handle) => {
      const serve = withLock(options, (_request: Request, _env, _ctx, lock) => handle(lock))
      return sendTo((request) => serve(request).catch(failed))
    },
    throttle: async (options, handle) => {
      const serve = withThrottle(options, (_request: Request) => handle(undefined))
      return sendTo((request) => serve(request).catch(failed))
    },
  }
})()

/** What every adapter does, with real Redis servers, for every runtime. */
export const adapterTests = (
  runtime: string,
  servers: readonly RestNodeOptions[],
  adapters: readonly Adapter[] = [inHono, inFunctions],
): void => {
  const redlock = new Redlock({ nodes: servers })
  const { heldBy, noneLeft } = heldOn(servers)
  const failing = (fault: Fault): Redlock =>
    new Redlock({ nodes: servers.map((node) => withFault(node, fault)), ttl: 2000 })
  const done: Handle = () => new Response('done')

  describe.each(adapters.map((one) => [`${one.name} on ${runtime}`, one] as const))(
    '%s: a lock',
    (_, adapter) => {
      it('runs one request per key at a time, and rejects the others with Retry-After', async () => {
        const key = freshKey()
        let running = 0
        let maxRunning = 0
        const { promise: finished, resolve: finish } = later()
        const post = await adapter.lock({ redlock, key }, async (lock) => {
          maxRunning = Math.max(maxRunning, ++running)
          await finished
          running--
          return new Response(`${lock?.held} ${lock?.keys.join()}`)
        })
        const statuses: number[] = []
        const responses = Array.from({ length: 5 }, async () => {
          const response = await post({ method: 'POST' })
          statuses.push(response.status)
          return response
        })
        const rejected = await Promise.race(responses)
        expect(rejected.status).toBe(409)
        expect(rejected.headers.get('content-type')).toBe('application/problem+json')
        expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
        expect(await rejected.json()).toEqual({
          type: 'urn:edge-redlock:ERL02',
          title: 'Conflict',
          status: 409,
          detail: 'Another request is being processed. Please try again in a moment.',
          reason: 'locked',
        })
        // A request that still tries would get the lock once it is free.
        await eventually(() => expect(statuses).toEqual([409, 409, 409, 409]))
        finish()
        const winner = (await Promise.all(responses)).find(({ status }) => status === 200)
        expect(await winner!.text()).toBe(`true ${key}`)
        expect(maxRunning).toBe(1)
        await noneLeft(key)
      })

      it.each<[string, Handle, number]>([
        ['a response', done, 200],
        ['no body', () => new Response(null, { status: 204 }), 204],
        ['not modified', () => new Response(null, { status: 304 }), 304],
        ['an Error', () => Promise.reject(new Error('a mistake')), 500],
      ])('releases after %s', async (_, handle, status) => {
        const key = freshKey()
        const send = await adapter.lock({ redlock, key }, handle)
        const response = await send()
        expect(response.status).toBe(status)
        await response.text()
        // Without waitUntil, the end of the body waits for the release.
        expect((await heldBy(key)).filter(Boolean).length).toBeLessThan(3)
        await noneLeft(key)
      })

      it('releases at once after HEAD, since nobody reads its body', async () => {
        const key = freshKey()
        const send = await adapter.lock({ redlock, key }, done)
        expect((await send({ method: 'HEAD' })).status).toBe(200)
        await noneLeft(key)
      })

      it('holds and extends the lock until a streamed body has ended', async () => {
        const key = freshKey()
        const { promise: ended, resolve: end } = later()
        const extended = vi.fn<Fault>((_, send) => send())
        const client = failing(during('e', extended))
        const send = await adapter.lock({ redlock: client, key, ttl: 1000 }, () => {
          const body = new ReadableStream({
            async start(controller) {
              controller.enqueue(new TextEncoder().encode('begin,'))
              await ended
              controller.enqueue(new TextEncoder().encode('end'))
              controller.close()
            },
          })
          return new Response(body)
        })
        const reading = (await send()).text()
        await vi.waitFor(() => expect(extended.mock.calls.length).toBeGreaterThan(15), 30_000)
        expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
        end()
        expect(await reading).toBe('begin,end')
        await noneLeft(key)
      })

      it('releases when the client stops reading', async () => {
        const key = freshKey()
        const endless = (): Response =>
          new Response(
            new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(9)) }),
          )
        const send = await adapter.lock({ redlock, key, ttl: 60_000 }, endless)
        await (await send()).body!.cancel()
        await noneLeft(key)
      })

      it('returns the response unchanged when the release fails', async () => {
        const client = failing(during('r', reject))
        const send = await adapter.lock({ redlock: client, key: freshKey() }, done)
        const response = await send()
        expect([response.status, await response.text()]).toEqual([200, 'done'])
      })

      it('waits for the lock if `wait` is set', async () => {
        const key = freshKey()
        const held = await redlock.acquire(key)
        const waiting = (await adapter.lock({ redlock, key, wait: 20_000 }, done))()
        await held.release()
        expect((await waiting).status).toBe(200)
      })

      it('responds 503 when no quorum can be reached, unless `failOpen` is set', async () => {
        const options = { redlock: failing(reject), key: freshKey() }
        const handle: Handle = (lock) => new Response(`${lock?.held}`)
        const response = await (await adapter.lock(options, handle))()
        expect(response.status).toBe(503)
        expect(response.headers.get('retry-after')).toBe('1')
        expect(await response.json()).toMatchObject({ title: 'Service Unavailable', status: 503 })
        const open = await (await adapter.lock({ ...options, failOpen: true }, handle))()
        expect([open.status, await open.text()]).toEqual([200, 'undefined'])
      })

      it('responds with onRejected if it returns a response, and with the status of statuses', async () => {
        const key = freshKey()
        const held = await redlock.acquire(key)
        const answers = {
          own: ({ reason, status, retryAfter, nodes }: RequestRejection) =>
            Response.json({ reason, soon: retryAfter! > 0, told: nodes!.length > 2 }, { status }),
          usual: () => undefined,
        }
        const rejectionOf = async (name: keyof typeof answers): Promise<Response> => {
          const options = { redlock, key, statuses: { locked: 423 }, onRejected: answers[name] }
          return (await adapter.lock(options, done))()
        }
        const own = await rejectionOf('own')
        expect(own.status).toBe(423)
        expect(await own.json()).toEqual({ reason: 'locked', soon: true, told: true })
        const usual = await rejectionOf('usual')
        expect(usual.status).toBe(423)
        expect(await usual.json()).toEqual({
          type: 'urn:edge-redlock:ERL02',
          status: 423,
          detail: 'Another request is being processed. Please try again in a moment.',
          reason: 'locked',
        })
        await held.release()
      })

      it('takes the client of the request, and lets requests without a key pass', async () => {
        const options = { redlock: () => redlock, key: () => null }
        const send = await adapter.lock(options, (lock) => new Response(`${lock?.held}`))
        expect(await (await send()).text()).toBe('undefined')
      })
    },
  )

  describe.each(adapters.map((one) => [`${one.name} on ${runtime}`, one] as const))(
    '%s: a throttle',
    (_, adapter) => {
      it('lets one of ten simultaneous requests pass, and tells the others when to retry', async () => {
        const submitted: Handle = () => new Response('submitted', { status: 202 })
        const send = await adapter.throttle({ redlock, key: freshKey(), window: 60_000 }, submitted)
        const post = (): Promise<Response> => send({ method: 'POST' })
        const responses = await Promise.all(Array.from({ length: 10 }, post))
        const rejected = responses.filter(({ status }) => status === 429)
        expect(rejected).toHaveLength(9)
        expect(responses.filter(({ status }) => status === 202)).toHaveLength(1)
        const { headers } = rejected[0]!
        const retryAfter = Number(headers.get('retry-after'))
        expect(retryAfter).toBeGreaterThan(50)
        expect(retryAfter).toBeLessThanOrEqual(60)
        expect(headers.get('ratelimit')).toBe(`"throttle";r=0;t=${retryAfter}`)
        expect(headers.get('ratelimit-policy')).toBe('"throttle";q=1;w=60')
        expect(await rejected[0]!.json()).toMatchObject({ title: 'Too Many Requests', status: 429 })
      })

      it('counts the responses that countIf keeps', async () => {
        let status = 500
        const options = { redlock, key: freshKey(), window: 60_000 }
        const send = await adapter.throttle(
          { ...options, countIf: ({ ok }) => ok },
          () => new Response('', { status }),
        )
        expect((await send()).status).toBe(500)
        status = 201
        const passed = await send()
        expect(passed.status).toBe(201)
        expect(passed.headers.get('ratelimit')).toBe('"throttle";r=0;t=60')
        expect((await send()).status).toBe(429)
      })

      it('responds 503 when no quorum can be reached, and lets requests without a key pass', async () => {
        const options = { redlock: failing(reject), window: 1000 }
        const throttled = await adapter.throttle({ ...options, key: freshKey() }, done)
        expect((await throttled()).status).toBe(503)
        const free = await adapter.throttle({ ...options, key: () => null }, done)
        expect((await free()).status).toBe(200)
      })
    },
  )
}
