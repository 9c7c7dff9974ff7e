import { describe, expect, it } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'

type Callback = (error?: unknown, result?: unknown) => void

/** The least that tells an HTTP event from the argument of another platform. */
const httpEvent = { httpMethod: 'POST', path: '/' }

/** The tests of functions that take the events of a Lambda, for every runtime. */
export const lambda = (name: string, servers: readonly RestNodeOptions[]): void => {
  const { heldBy } = heldOn(servers)
  const redlock = new Redlock({ nodes: servers })
  const none = servers.map(() => null)
  const context = (left = 5000) => {
    const end = Date.now() + left
    return { getRemainingTimeInMillis: () => end - Date.now() }
  }
  /** The platform's result of an event while another client holds the lock. */
  const rejection = async (event: object, response: Response | (() => never)): Promise<unknown> => {
    const key = freshKey()
    const held = await redlock.acquire(key)
    const onRejected = (): Response => (response instanceof Response ? response : response())
    const handler = withLock({ redlock, key, onRejected }, (_event: object): unknown => 'ran')
    const result = await handler({ httpMethod: 'GET', path: '/', ...event }, context())
    await held.release()
    return result
  }
  const cookies = ['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT']
  const withCookies = (count = 2): Response => {
    const response = new Response('locked', { status: 423, headers: { 'x-a': 'b, c' } })
    for (const cookie of cookies.slice(0, count)) response.headers.append('set-cookie', cookie)
    return response
  }
  const type = { 'content-type': 'text/plain;charset=UTF-8' }
  const rest = { statusCode: 423, body: 'locked' }

  describe(`${name}: the result of onRejected`, () => {
    it.each<[string, object, object]>([
      [
        'an HTTP API or a function url',
        { version: '2.0', requestContext: { http: { method: 'GET' } } },
        { ...rest, headers: { ...type, 'x-a': 'b, c' }, cookies },
      ],
      [
        'a REST API',
        { version: '1.0', multiValueHeaders: { accept: ['*/*'] }, requestContext: {} },
        {
          ...rest,
          multiValueHeaders: {
            'content-type': [type['content-type']],
            'x-a': ['b, c'],
            'set-cookie': cookies,
          },
        },
      ],
      [
        'a REST API, tested from its console',
        { multiValueHeaders: null, requestContext: {} },
        {
          ...rest,
          headers: { ...type, 'x-a': 'b, c' },
          multiValueHeaders: { 'set-cookie': cookies },
        },
      ],
      [
        'a load balancer',
        { requestContext: { elb: {} }, headers: {} },
        {
          ...rest,
          headers: { ...type, 'x-a': 'b, c', 'set-cookie': cookies[0], 'Set-cookie': cookies[1] },
        },
      ],
      [
        'a load balancer with values in lists',
        { requestContext: { elb: {} }, multiValueHeaders: {} },
        {
          ...rest,
          multiValueHeaders: {
            'content-type': [type['content-type']],
            'x-a': ['b, c'],
            'set-cookie': cookies,
          },
        },
      ],
    ])('has every cookie for %s', async (_, event, expected) => {
      expect(await rejection(event, withCookies())).toEqual(expected)
    })

    it('has each of ten cookies for a load balancer without multi-value headers', async () => {
      const response = new Response('no', { status: 423 })
      for (let number = 0; number < 10; number++) {
        response.headers.append('set-cookie', `c${number}=1`)
      }
      const result = await rejection({ requestContext: { elb: {} } }, response)
      const sent = Object.entries((result as { headers: object }).headers).filter(([name]) =>
        /^set-cookie$/i.test(name),
      )
      expect(sent.map(([, value]) => value as string)).toEqual(
        Array.from({ length: 10 }, (_, number) => `c${number}=1`),
      )
    })

    it('has one cookie and no list of cookies where there is one or none', async () => {
      expect(await rejection({}, withCookies(1))).toEqual({
        ...rest,
        headers: { ...type, 'x-a': 'b, c', 'set-cookie': cookies[0] },
      })
      expect(await rejection({ requestContext: { http: {} } }, withCookies(0))).toEqual({
        ...rest,
        headers: { ...type, 'x-a': 'b, c' },
      })
    })

    it('has a binary body in base64', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
      const result = await rejection({}, new Response(bytes, { status: 423 }))
      const { body, isBase64Encoded } = result as { body: string; isBase64Encoded: boolean }
      expect(isBase64Encoded).toBe(true)
      expect(Uint8Array.from(atob(body), (char) => char.charCodeAt(0))).toEqual(bytes)
      expect(await rejection({}, new Response('ünï¢🚀'))).toMatchObject({ body: 'ünï¢🚀' })
    })
  })

  describe(`${name}: a handler that answers by a callback`, () => {
    const invoke = (
      handler: (event: object, context?: unknown, callback?: Callback) => Promise<unknown>,
    ): Promise<unknown> =>
      handler({ ...httpEvent }, context(), () => expect.unreachable('called the callback'))

    it('holds the lock until it calls back, and its result is returned', async () => {
      const key = freshKey()
      let finish!: () => void
      const handler = withLock(
        { redlock, key },
        (_event: object, _context: unknown, callback: unknown): unknown => {
          finish = () => (callback as Callback)(null, { statusCode: 200 })
          return undefined
        },
      )
      const result = invoke(handler)
      await eventually(() => expect(finish).toBeDefined())
      expect(await invoke(handler)).toMatchObject({ statusCode: 409 })
      finish()
      expect(await result).toEqual({ statusCode: 200 })
      expect(await heldBy(key)).toEqual(none)
    })

    it('fails with the error that it calls back with, and releases the lock', async () => {
      const key = freshKey()
      const handler = withLock(
        { redlock, key },
        (_event: object, _context: unknown, callback: unknown, lock): unknown => {
          setTimeout(() => (callback as Callback)(new Error(`a mistake ${lock?.held}`)), 1)
          return undefined
        },
      )
      await expect(invoke(handler)).rejects.toThrow('a mistake true')
      expect(await heldBy(key)).toEqual(none)
    })

    it('is one that names the callback and returns nothing; any other answers by what it returns', async () => {
      const key = freshKey()
      const options = { redlock, key }
      const call = (callback: unknown, result?: unknown) => (callback as Callback)(null, result)
      const handlers = [
        withLock(options, async (_event: object, _context, callback) => {
          setTimeout(() => call(callback, 'late'), 1)
          return 'promise'
        }),
        withLock(options, (_event: object, _context, _callback): unknown => 'value'),
        withLock(options, (_event: object, _context): unknown => undefined),
        withLock(
          options,
          async (_event: object, _context, _callback, lock: Lock | undefined) => lock?.held,
        ),
      ]
      const results = []
      for (const handler of handlers) results.push(await invoke(handler))
      expect(results).toEqual(['promise', 'value', undefined, true])
      const throwing = withLock(options, (_event: object, _context, _callback): unknown => {
        throw new Error('at once')
      })
      await expect(invoke(throwing)).rejects.toThrow('at once')
      expect(await heldBy(key)).toEqual(none)
    })

    it('passes a result of nothing to countIf as it is', async () => {
      const seen: unknown[] = []
      const options = { redlock, key: freshKey(), window: 60_000 }
      const countIf = (result: unknown): boolean => seen.push(result) > 0
      const handler = withThrottle({ ...options, countIf }, (_event: object): unknown => undefined)
      expect(await handler({ ...httpEvent }, context())).toBeUndefined()
      expect(seen).toEqual([undefined])
    })

    it('passes a throttle, whose countIf sees its result', async () => {
      const seen: unknown[] = []
      const handler = withThrottle(
        {
          redlock,
          key: freshKey(),
          window: 60_000,
          countIf: (result) => seen.push(result) > 1,
        },
        (_event: object, _context: unknown, callback: unknown): unknown => {
          setTimeout(() => (callback as Callback)(null, 'result'), 1)
          return undefined
        },
      )
      expect(await invoke(handler)).toBe('result')
      expect(await invoke(handler)).toBe('result')
      expect(await invoke(handler)).toMatchObject({ statusCode: 429 })
      expect(seen).toEqual(['result', 'result'])
    })
  })
}
