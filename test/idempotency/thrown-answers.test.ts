import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import {
  idempotent,
  isNotRecordedError,
  type NotRecordedError,
  once,
  withIdempotency,
} from '../../src/entries/idempotency.ts'
import { type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { realNodes } from '../support/real-nodes.ts'

// What frameworks throw as an answer. Their own classes are in the apps of verification/apps.

/** As SvelteKit has it: it recognises its redirects by the class alone. */
class Redirect {
  readonly status: number
  readonly location: string
  constructor(status: number, location: string) {
    this.status = status
    this.location = location
  }
}

const nextError = (digest: string): Error => Object.assign(new Error('NEXT'), { digest })

/** As TanStack has it: its router makes the location of the options, after the handler. */
const tanstackRedirect = (options: object): Response =>
  Object.assign(new Response(null, { status: 307 }), { options })

type Thrower = readonly [name: string, make: () => unknown, status: number, location: string | null]

const answers: readonly Thrower[] = [
  ['redirect() of Next.js', () => nextError('NEXT_REDIRECT;push;/a;b?c=1;307;'), 307, '/a;b?c=1'],
  ['permanentRedirect() of Next.js', () => nextError('NEXT_REDIRECT;replace;/a;308;'), 308, '/a'],
  ['redirect() of an older Next.js', () => nextError('NEXT_REDIRECT;replace;/a;303'), 303, '/a'],
  ['notFound() of Next.js', () => nextError('NEXT_HTTP_ERROR_FALLBACK;404'), 404, null],
  ['redirect() of SvelteKit', () => new Redirect(303, '/orders/1'), 303, '/orders/1'],
  [
    'a redirect as a Response',
    () => new Response(null, { status: 302, headers: { location: '/b' } }),
    302,
    '/b',
  ],
  ['redirect({ to }) of TanStack', () => tanstackRedirect({ to: '/orders' }), 307, null],
  [
    'a redirect to a place beyond Latin-1',
    () => nextError('NEXT_REDIRECT;replace;/日本?a=%20;307;'),
    307,
    '/日本?a=%20',
  ],
  ['a Response with a body', () => Response.json({ id: 1 }, { status: 404 }), 404, null],
]

const oddError = Object.defineProperty(new Error('odd'), 'status', {
  get: () => {
    throw new Error('no status')
  },
})

const failures: readonly (readonly [name: string, make: () => unknown])[] = [
  ['an error', () => new Error('card declined')],
  ['text', () => 'failed'],
  ['nothing', () => undefined],
  ['an error whose status cannot be read', () => oddError],
  ['error() of SvelteKit', () => ({ status: 404, body: { message: 'no' } })],
  [
    'an error with a status and a location',
    () => Object.assign(new Error('x'), { status: 303, location: '/' }),
  ],
  ['another digest of Next.js', () => nextError('DYNAMIC_SERVER_USAGE')],
  ['unauthorized() of Next.js', () => nextError('NEXT_HTTP_ERROR_FALLBACK;401')],
  ['a Response that invites another try', () => new Response(null, { status: 503 })],
  ['a redirect whose location is unknown yet', () => new Response(null, { status: 307 })],
]

const scope = (): string => 'ada'
const post = (key = 'a-key'): Request =>
  new Request('https://shop.example/orders', {
    method: 'POST',
    headers: { 'idempotency-key': key },
  })

/** What a framework makes of what a handler throws. */
const caught = async (
  work: Promise<unknown>,
): Promise<{ thrown: unknown } | { returned: unknown }> =>
  work.then(
    (returned) => ({ returned }),
    (thrown: unknown) => ({ thrown }),
  )

const statusOf = (thrown: unknown): number => {
  const { digest, status } = thrown as { digest?: string; status?: number }
  return status ?? Number(/;([345]\d\d);?$/.exec(digest!)?.[1])
}

const locationOf = (thrown: unknown): string | null => {
  if (thrown instanceof Response) return thrown.headers.get('location')
  const { digest, location } = thrown as { digest?: string; location?: string }
  return location ?? /^NEXT_REDIRECT;\w+;(.*);3\d\d;?$/.exec(digest!)?.[1] ?? null
}

describe.each(answers)('%s is an answer', (_, make, status, location) => {
  const expectThrown = (
    outcomes: readonly ({ thrown: unknown } | { returned: unknown })[],
  ): void => {
    for (const outcome of outcomes) {
      expect(outcome).toHaveProperty('thrown')
      const { thrown } = outcome as { thrown: unknown }
      expect([statusOf(thrown), locationOf(thrown)]).toEqual([status, location])
      expect(thrown instanceof Redirect).toBe(make() instanceof Redirect)
    }
  }

  it('is thrown to each of twenty duplicates of withIdempotency(), after one run', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    let runs = 0
    const handle = withIdempotency({ redlock, scope, wait: 5000 }, async (): Promise<Response> => {
      runs++
      throw make()
    })
    const calls = Array.from({ length: 20 }, () => caught(handle(post())))
    expectThrown([...(await Promise.all(calls)), await caught(handle(post()))])
    expect(runs).toBe(1)
  })

  it('is thrown by each of twenty calls of once(), after one run', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    let runs = 0
    const call = (): Promise<unknown> =>
      caught(
        once(redlock, 'order', { keepFor: 60_000 }, async (): Promise<string> => {
          runs++
          throw make()
        }),
      )
    const outcomes = await Promise.all(Array.from({ length: 20 }, call))
    expectThrown([...outcomes, await call()] as { thrown: unknown }[])
    // A thrown 404 may be that of another service, so it is an error of the run.
    expect(runs).toBe(make() instanceof Response && status === 404 ? 21 : 1)
  })

  it('is seen by shouldRecord and countIf, and passes a lock', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const seen: number[] = []
    const see = (response: Response): boolean => seen.push(response.status) < 0
    const fail = async (): Promise<Response> => {
      throw make()
    }
    const recorded = withIdempotency({ redlock, scope, shouldRecord: see }, fail)
    const throttled = withThrottle({ redlock, key: 'k', window: 60_000, countIf: see }, fail)
    const locked = withLock({ redlock, key: 'k' }, fail)
    for (const handle of [recorded, throttled, locked, locked]) {
      expectThrown([await caught(handle(post()))])
    }
    expect(seen).toEqual([status, status])
  })
})

it.each(answers.filter(([, make]) => locationOf(make()) !== null))(
  '%s: each call of once() is told if it is too large, after one run',
  async (_, make) => {
    const thrown = make()
    const url = `/${'x'.repeat(70_000)}`
    if (thrown instanceof Response) thrown.headers.set('location', url)
    else if (thrown instanceof Error) {
      Object.assign(thrown, { digest: `NEXT_REDIRECT;push;${url};307;` })
    } else Object.assign(thrown as object, { location: url })
    const key = crypto.randomUUID()
    let runs = 0
    const redlock = new Redlock({ nodes: realNodes })
    const call = (): Promise<unknown> =>
      caught(
        once(redlock, key, { keepFor: 10_000 }, async (): Promise<string> => {
          runs++
          throw thrown
        }),
      )
    for (const hasRun of [true, false]) {
      const { thrown: error } = (await call()) as { thrown: NotRecordedError }
      expect([isNotRecordedError(error), error.reason, error.hasRun]).toEqual([
        true,
        'not-kept',
        hasRun,
      ])
      if (hasRun) expect((error.cause as Error).cause).toBe(thrown)
    }
    expect(runs).toBe(1)
  },
)

it('a thrown Response is thrown again with its body and its headers, but no cookie', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const headers = { location: '/a', 'set-cookie': 'session=1' }
  const handle = withIdempotency({ redlock, scope }, async (): Promise<Response> => {
    throw Response.json({ id: 7 }, { status: 404, headers })
  })
  const [first, replay] = [await caught(handle(post())), await caught(handle(post()))] as [
    { thrown: Response },
    { thrown: Response },
  ]
  expect(first.thrown.headers.get('set-cookie')).toBe('session=1')
  expect(await first.thrown.json()).toEqual({ id: 7 })
  expect(replay.thrown.headers.get('set-cookie')).toBe(null)
  expect(replay.thrown.headers.get('idempotent-replayed')).toBe('true')
  expect(await replay.thrown.json()).toEqual({ id: 7 })
})

it.each([
  ['thrown', true],
  ['returned', false],
])('a redirect of TanStack that is %s leads to the same route again', async (_, isThrown) => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const route = { to: '/orders/$id', params: { id: '1' }, search: { tab: 2 }, statusCode: 307 }
  const headers = { 'set-cookie': 'session=1' }
  let runs = 0
  const handle = withIdempotency({ redlock, scope }, async () => {
    runs++
    const made = tanstackRedirect({ ...route, headers, hash: () => '' })
    if (isThrown) throw made
    return made
  })
  const outcomes = [await caught(handle(post())), await caught(handle(post()))]
  const [first, again] = outcomes.map(
    (one) => (one as { thrown: Response & { readonly options: object } }).thrown,
  )
  expect(first!.options).toMatchObject({ ...route, headers })
  expect(again).toBeInstanceOf(Response)
  expect(again!.options).toEqual(route)
  expect(runs).toBe(1)
})

it('once() throws a redirect of SvelteKit by the function that it is given', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  class Other {
    readonly to: string
    constructor(to: string) {
      this.to = to
    }
  }
  const redirect = (status: number, location: string): never => {
    // oxlint-disable-next-line typescript/only-throw-error -- as SvelteKit does
    throw new Other(`${status} ${location}`)
  }
  const call = (): Promise<unknown> =>
    caught(
      once(redlock, 'k', { keepFor: 60_000, redirect }, () => {
        // oxlint-disable-next-line typescript/only-throw-error -- as SvelteKit does
        throw new Redirect(303, '/orders/1')
      }),
    )
  await call()
  expect(await call()).toEqual({ thrown: new Other('303 /orders/1') })
})

it.each(failures)('%s is no answer: it runs again, and onEvent hears of it', async (_, make) => {
  const events: LockEvent[] = []
  const onEvent = (event: LockEvent): void => void events.push(event)
  const redlock = new Redlock({ nodes: memoryNodes(3), onEvent })
  let runs = 0
  const fail = async (): Promise<Response> => {
    runs++
    throw make()
  }
  const handle = withIdempotency({ redlock, scope }, fail)
  for (let turn = 0; turn < 2; turn++) {
    expect(await caught(handle(post()))).toHaveProperty('thrown')
    const call = once(redlock, 'k', { keepFor: 60_000, codec: undefined as never }, fail)
    expect(await caught(call)).toHaveProperty('thrown')
  }
  expect(runs).toBe(4)
  const told = events.filter(({ type }) => type === 'not-recorded')
  expect(told.length).toBeGreaterThanOrEqual(3)
  expect(told[0]).toMatchObject({ kind: 'claim', type: 'not-recorded' })
})

it('passes a redirect that is thrown through Hono to the framework around it, after one run', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  let runs = 0
  const app = new Hono().post('/orders', idempotent({ redlock, scope, wait: 5000 }), () => {
    runs++
    // oxlint-disable-next-line typescript/only-throw-error -- as React Router does
    throw new Response(null, { status: 303, headers: { location: '/a' } })
  })
  const send = (): Promise<unknown> => caught(Promise.resolve(app.request(post())))
  const all = await Promise.all(Array.from({ length: 10 }, send))
  for (const outcome of all) {
    expect((outcome as { thrown: Response }).thrown.headers.get('location')).toBe('/a')
  }
  expect(runs).toBe(1)
})
