import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { requestId } from 'hono/request-id'
import { describe, expect, it } from 'vitest'
import { idempotent, type IdempotentOptions } from '../../src/entries/idempotency.ts'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { cutter, during, reject, withFault } from '../support/faults.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { later } from '../support/signals.ts'
import { realNodes } from '../support/real-nodes.ts'

// Idempotent requests among other middleware of Hono.

const nodes = realNodes.slice(0, 3)
const redlock = new Redlock({ nodes })
const scope = (): string => 'user'
const once = (options: Partial<IdempotentOptions> = {}) =>
  idempotent({ redlock, scope, ...options })

const send = (app: Hono, key: string, init: RequestInit = {}): Response | Promise<Response> => {
  const headers = new Headers(init.headers)
  headers.set('idempotency-key', key)
  headers.set('origin', 'https://a.example')
  return app.request('/', { method: 'POST', ...init, headers })
}

/** A network of one client that can be cut. */
const network = () => {
  const { fault, cut, mend } = cutter()
  return { nodes: nodes.map((node) => withFault(node, fault)), cut, mend }
}

/** A handler that ends when it is told to. */
const held = () => {
  const { promise: finished, resolve: finish } = later()
  return { finish, finished }
}

describe('an answer in place of the handler’s', () => {
  it('is a 409 for a late run while another is being processed', async () => {
    const [line, first, second] = [network(), held(), held()]
    const late = appWith(
      line.nodes,
      async (c) => {
        await first.finished
        return c.text('late', 201)
      },
      { ttl: 2_000 },
    )
    const key = freshKey()
    const lateAnswer = late.post(key)
    await eventually(() => expect(late.runs()).toBe(1))
    line.cut()
    const next = appWith(
      nodes,
      async (c) => {
        await second.finished
        return c.text('second', 201)
      },
      { wait: 20_000 },
    )
    const nextAnswer = next.post(key)
    await eventually(() => expect(next.runs()).toBe(1))
    line.mend()
    first.finish()
    expect((await lateAnswer).status).toBe(409)
    second.finish()
    expect((await nextAnswer).status).toBe(201)
  })

  it('has no header of the handler, and those of earlier middleware', async () => {
    const failing = nodes.map((node) => withFault(node, during('c', reject)))
    const app = new Hono()
    app.use(cors(), requestId())
    const options = { redlock: new Redlock({ nodes: failing, warnings: false }), ttl: 300 }
    app.post('/', once(options), () => {
      const headers = {
        'content-length': '5',
        'content-encoding': 'gzip',
        'set-cookie': 'session=1',
        location: '/orders/1',
        etag: '"1"',
      }
      return new Response('12345', { status: 201, headers })
    })
    const response = await send(app, freshKey())
    expect(response.status).toBe(503)
    const names = [...response.headers.keys()].sort()
    expect(names).toEqual([
      'access-control-allow-origin',
      'content-type',
      'retry-after',
      'x-request-id',
    ])
    expect(await response.json()).toMatchObject({ status: 503 })
  })

  it('is a replay with the headers of earlier middleware, also for a late run', async () => {
    const [line, first] = [network(), held()]
    let runs = 0
    const appOver = (own: readonly RestNodeOptions[], text: () => Promise<string>): Hono => {
      const app = new Hono()
      app.use(cors(), requestId())
      const options = { redlock: new Redlock({ nodes: own, warnings: false }), ttl: 2_000 }
      app.post('/', once({ ...options, wait: 20_000 }), async (c) => {
        runs++
        return c.text(await text(), 201)
      })
      return app
    }
    const late = appOver(line.nodes, async () => {
      await first.finished
      return 'late'
    })
    const next = appOver(nodes, async () => 'second')
    const key = freshKey()
    const lateAnswer = send(late, key)
    await eventually(() => expect(runs).toBe(1))
    line.cut()
    const answers = [await send(next, key)]
    line.mend()
    first.finish()
    answers.push(await lateAnswer, await send(next, key))
    for (const answer of answers) {
      expect(await answer.text()).toBe('second')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('x-request-id')).not.toBeNull()
    }
    expect(runs).toBe(2)
  })

  it('is not mistaken for the handler’s own, which passes on a replay of another service', async () => {
    const app = new Hono()
    app.use(cors())
    const headers = { 'idempotent-replayed': 'true' }
    app.post('/', once(), () => new Response('passed on', { headers }))
    const key = freshKey()
    const [first, replay] = [await send(app, key), await send(app, key)]
    for (const answer of [first, replay]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('a handler that throws', () => {
  it.each<[string, () => never]>([
    [
      'an HTTPException',
      () => {
        throw new HTTPException(400, { message: 'wrong' })
      },
    ],
    [
      'an error that onError answers with a 422',
      () => {
        throw new Error('the database is down')
      },
    ],
  ])('%s is not recorded', async (_, fail) => {
    let runs = 0
    const app = new Hono()
    app.onError((error, c) => c.text(error.message, 422))
    app.post('/', once(), () => {
      runs++
      return fail()
    })
    const key = freshKey()
    await send(app, key)
    const again = await send(app, key)
    expect([runs, again.headers.get('idempotent-replayed')]).toEqual([2, null])
  })
})

describe('the payload', () => {
  it.each(['formData', 'parseBody', 'text', 'arrayBuffer'] as const)(
    'is the same if earlier middleware has read it by %s',
    async (read) => {
      const app = new Hono()
      app.use(async (c, next) => {
        await c.req[read]()
        await next()
      })
      app.post('/', once(), (c) => c.text('done', 201))
      const key = freshKey()
      const form = (text: string): FormData => {
        const all = new FormData()
        all.set('text', text)
        all.set('file', new File([text], 'essay.txt'))
        return all
      }
      expect((await send(app, key, { body: form('a') })).status).toBe(201)
      expect((await send(app, key, { body: form('a') })).status).toBe(201)
      expect((await send(app, key, { body: form('b') })).status).toBe(422)
    },
  )
})

describe('shouldRecord', () => {
  it('may read the body', async () => {
    let runs = 0
    const app = new Hono()
    const shouldRecord = async (response: Response): Promise<boolean> =>
      ((await response.json()) as { isDone: boolean }).isDone
    app.post('/', once({ shouldRecord }), (c) => c.json({ isDone: ++runs > 1 }, 201))
    const key = freshKey()
    const texts: string[] = []
    for (let call = 0; call < 3; call++) texts.push(await (await send(app, key)).text())
    expect(texts).toEqual(['{"isDone":false}', '{"isDone":true}', '{"isDone":true}'])
    expect(runs).toBe(2)
  })
})

it('an event stream is not recorded, however its type is written', async () => {
  const app = new Hono()
  app.post('/', once(), () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    })
    return new Response(body, { headers: { 'content-type': 'Text/Event-Stream' } })
  })
  const { body } = await send(app, freshKey())
  const reader = body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n')
  await reader.cancel()
})

it('`onRejected` must return a response', async () => {
  const app = new Hono()
  app.onError((error, c) => c.text(error.message, 500))
  app.post('/', once({ onRejected: () => 'no' as never }), (c) => c.text('done'))
  const response = await app.request('/', { method: 'POST' })
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining('`onRejected`'),
  ])
})
