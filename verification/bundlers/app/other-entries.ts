import { Redlock } from '../../../src/index.ts'
import { check, diagnose } from '../../../src/entries/doctor.ts'
import { withThrottle } from '../../../src/entries/fetch.ts'
import { gateway } from '../../../src/entries/gateway.ts'
import { isStaleTokenError, memoryGuard } from '../../../src/entries/guards.ts'
import { lock, throttle } from '../../../src/entries/hono.ts'
import { idempotent } from '../../../src/entries/idempotency.ts'
import { lockOf } from '../../../src/entries/node.ts'
import { memoryNodes } from '../../../src/entries/testing.ts'
import { Hono } from 'hono'
import { type Checks, equal } from '../../runtimes/core.ts'

const statuses = (responses: readonly Response[]): string =>
  responses.map(({ status }) => status).join()

/** One call to each entry of the package that the runtime checks do not cover. */
export const otherEntries: Checks = {
  'a throttle': async ({ redlock, key }) => {
    const run = withThrottle({ redlock, key, window: 20_000 }, () => new Response('passed'))
    const burst = await Promise.all([1, 2, 3].map(() => run(new Request('http://localhost/'))))
    equal(statuses(burst.toSorted((a, b) => a.status - b.status)), '200,429,429', 'statuses')
    return 'ok'
  },
  'Hono: a lock, a throttle, a replay': async ({ redlock, key }) => {
    const app = new Hono()
    app.post('/lock', lock({ redlock, key }), (c) => c.text(`${c.var.lock?.held}`))
    app.post('/throttle', throttle({ redlock, key, window: 20_000 }), (c) => c.text('passed'))
    app.post('/idempotent', idempotent({ redlock, scope: () => key }), (c) =>
      c.text(crypto.randomUUID(), 201),
    )
    const post = async (path: string): Promise<Response> =>
      app.request(path, { method: 'POST', headers: { 'idempotency-key': 'k' } })
    equal(await (await post('/lock')).text(), 'true', 'held')
    equal(statuses([await post('/throttle'), await post('/throttle')]), '200,429', 'throttle')
    const [first, replay] = [await post('/idempotent'), await post('/idempotent')]
    equal(statuses([first, replay]), '201,201', 'idempotent')
    equal(await replay.text(), await first.text(), 'the answer')
    return 'ok'
  },
  'a gateway, a guard, the doctor, nodes in memory': async ({ redlock, key }) => {
    const { fetch } = gateway({
      token: 't',
      allow: ['GET'],
      send: async ([name]) => name,
      transaction: async () => [],
    })
    const headers = { authorization: 'Bearer t' }
    const body = JSON.stringify(['GET', key])
    const reply = await fetch(new Request('http://localhost/', { method: 'POST', headers, body }))
    equal(await reply.text(), '{"result":"GET"}', 'gateway')
    const guard = memoryGuard()
    await guard.advance(key, 2)
    const stale = await guard.advance(key, 1).catch((error: unknown) => error)
    equal(isStaleTokenError(stale), true, 'guard')
    const codes = new Set(diagnose(await check(redlock)).map(({ code }) => code))
    equal(codes.has('not-persistent'), true, 'a finding of the doctor')
    equal(codes.has('no-lock'), false, 'the lock of the doctor')
    equal(lockOf({ headers: {} }), undefined, 'the lock of a request of Node')
    const inMemory = new Redlock({ nodes: memoryNodes(3) })
    await inMemory.using(key, async () => {
      equal((await inMemory.tryAcquire(key)).ok, false, 'in memory')
    })
    return 'ok'
  },
}
