import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, type onTestFinished, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { idempotent, lock, lockOf, throttle } from '../../src/entries/node.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { clientOf, openRaw, type RawConnection, type Sent } from './client.ts'
import { frameworks, type Handler, type Middleware } from './servers.ts'

// The events of a request, behind each middleware, in each framework, over real connections.

// Ms. The pauses of a busy machine are shorter.
const ttl = 2000
const redlock = (): Redlock => new Redlock({ nodes: memoryNodes(3), ttl, warnings: false })

type Gate = 'lock' | 'throttle' | 'throttle with countIf' | 'idempotent'
const gates: Readonly<Record<Gate, () => Middleware>> = {
  lock: () => lock({ redlock: redlock(), key: 'k' }),
  throttle: () => throttle({ redlock: redlock(), key: 'k', window: 60_000 }),
  'throttle with countIf': () =>
    throttle({ redlock: redlock(), key: 'k', window: 60_000, countIf: ({ ok }) => ok }),
  idempotent: () => idempotent({ redlock: redlock(), scope: () => 'user', maxPayload: 100_000 }),
}
const names = Object.keys(gates) as Gate[]
const post: Sent = { headers: { 'idempotency-key': 'a' }, body: 'payload' }

type Framework = (typeof frameworks)[number]

/** Serves a handler behind a gate, and counts its runs. */
const open = async (
  { serve, protocol }: Framework,
  gate: Gate,
  handler: Handler,
  finished: typeof onTestFinished,
) => {
  let runs = 0
  const counted: Handler = (req, res) => {
    runs++
    return handler(req, res)
  }
  const { server, port, close } = await serve(gates[gate](), counted)
  finished(() => void close())
  const client = (): ReturnType<typeof clientOf> => {
    const made = clientOf(protocol, port)
    finished(made.close)
    return made
  }
  const raw = (): RawConnection => {
    const made = openRaw(port)
    finished(made.close)
    return made
  }
  return { server, client, raw, runs: () => runs }
}

// Even a busy machine is faster than this.
const eventually = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(check, { timeout: 20_000 })

const upgrade: Sent = {
  ...post,
  headers: { ...post.headers, connection: 'Upgrade', upgrade: 'websocket' },
}

/** The response to a second request while the first one is running. */
const rejection = (gate: Gate): number => (gate.startsWith('throttle') ? 429 : 409)

/** Repeats a request until the response no longer reports another one in progress. @returns the ms that took. */
const freeAfter = async (send: () => Promise<{ status: number }>): Promise<number> => {
  const start = performance.now()
  while ((await send()).status === 409) await sleep(20)
  return performance.now() - start
}

const later = () => {
  let resolve!: () => void
  const promise = new Promise<void>((given) => (resolve = given))
  return { promise, resolve }
}

/** A handler that reports its beginning, and waits until it is allowed to end. */
const handlerBetween =
  (begun: ReturnType<typeof later>, end: ReturnType<typeof later>): Handler =>
  async () => {
    begun.resolve()
    await end.promise
    return 'done'
  }

const failing = (): Readable =>
  Readable.from(
    (async function* parts() {
      yield Buffer.from('half')
      await sleep(20)
      throw new Error('the source broke')
    })(),
  )

const cases = frameworks.flatMap((framework) =>
  names.map((gate) => [framework.name, gate, framework] as const),
)

describe.concurrent.each(cases)('%s, %s', (_name, gate, framework) => {
  it('returns: the next request of the same client does not meet its lock', async ({
    onTestFinished: finished,
  }) => {
    const { client, runs } = await open(framework, gate, async () => 'done', finished)
    const { send } = client()
    const first = await send(post)
    expect(first).toMatchObject({ status: 200, body: 'done' })
    if (gate.startsWith('throttle')) {
      expect(first.headers.ratelimit).toBe('"throttle";r=0;t=60')
      expect((await send(post)).status).toBe(429)
      return
    }
    for (let turn = 0; turn < 5; turn++) {
      expect(await send(post)).toMatchObject({ status: 200, body: 'done' })
    }
    expect(runs()).toBe(gate === 'idempotent' ? 1 : 6)
  })

  it('rejects before the first byte: 500 at once, and a retry runs', async ({
    onTestFinished: finished,
  }) => {
    const { client, runs } = await open(
      framework,
      gate,
      () => Promise.reject(new Error('mistake')),
      finished,
    )
    const { send } = client()
    expect((await send(post)).status).toBe(500)
    expect((await send(post)).status).toBe(gate === 'throttle' ? 429 : 500)
    expect(runs()).toBe(gate === 'throttle' ? 1 : 2)
  })

  // Nest ends half a response as if it were whole.
  it.skipIf(framework.name === 'Nest')(
    'rejects after the first byte: the client gets no whole response, and a retry runs',
    async ({ onTestFinished: finished }) => {
      const { client, runs } = await open(
        framework,
        gate,
        async (_req, res) => {
          res.write('half')
          await sleep(20)
          throw new Error('mistake')
        },
        finished,
      )
      const { send } = client()
      // Koa and h3 leave the connection of half a response open.
      const first = await send({ ...post, leave: sleep(300) })
      expect(first.status === 0 || first.status === 500 || first.body !== 'half').toBe(true)
      expect(await freeAfter(() => client().send({ ...post, leave: sleep(1500) }))).toBeLessThan(
        ttl + 2500,
      )
      expect(runs()).toBe(gate.startsWith('throttle') ? 1 : 2)
    },
  )

  it('its stream fails: the client gets no whole response, and a retry runs', async ({
    onTestFinished: finished,
  }) => {
    const { client, runs } = await open(framework, gate, async () => failing(), finished)
    const { status } = await client().send({ ...post, leave: sleep(300) })
    expect([0, 500]).toContain(status)
    expect(await freeAfter(() => client().send({ ...post, leave: sleep(1500) }))).toBeLessThan(
      ttl + 2500,
    )
    expect(runs()).toBe(gate.startsWith('throttle') ? 1 : 2)
  })

  it('the server destroys the response: free after a ttl at the latest', async ({
    onTestFinished: finished,
  }) => {
    const { client, runs } = await open(
      framework,
      gate,
      async (_req, res) => {
        res.write('half')
        await sleep(20)
        if (framework.protocol === 1) res.destroy()
        else (res as unknown as { stream: { destroy: () => void } }).stream.destroy()
        return undefined
      },
      finished,
    )
    expect((await client().send(post)).status).toBe(0)
    expect(await freeAfter(() => client().send({ ...post, leave: sleep(1500) }))).toBeLessThan(
      ttl + 2500,
    )
    expect(runs()).toBe(gate.startsWith('throttle') ? 1 : 2)
  })

  it('the client leaves before the first byte: the handler is alone until it ends', async ({
    onTestFinished: finished,
  }) => {
    const [begun, end, left] = [later(), later(), later()]
    const { client, runs } = await open(framework, gate, handlerBetween(begun, end), finished)
    void client().send({ ...post, leave: left.promise })
    await begun.promise
    left.resolve()
    const { send } = client()
    await sleep(ttl * 1.5)
    const meanwhile = await send(post)
    expect(meanwhile.status).toBe(gate.startsWith('throttle') ? 429 : 409)
    expect(runs()).toBe(1)
    end.resolve()
    await freeAfter(() => send(post))
  })

  it('the client leaves a response that has begun: nobody runs beside a handler that was not told', async ({
    onTestFinished: finished,
  }) => {
    const [begun, end, left] = [later(), later(), later()]
    let running = 0
    let isTold: boolean | undefined
    const { client } = await open(
      framework,
      gate,
      async (req, res) => {
        const signal = lockOf(req)?.signal
        if (running++ > 0) isTold = !!signal?.aborted || told
        signal?.addEventListener('abort', () => (told = true))
        res.write('half')
        begun.resolve()
        await end.promise
        running--
        res.end()
        return undefined
      },
      finished,
    )
    let told = false
    void client().send({ ...post, leave: left.promise })
    await begun.promise
    await sleep(30)
    left.resolve()
    const { send } = client()
    await sleep(ttl * 2)
    const second = send({ ...post, leave: sleep(300) })
    await sleep(200)
    // If the handler returns a promise, no other request runs; otherwise the handler was notified earlier.
    expect(isTold ?? true).toBe(true)
    if (framework.tellsEnd) expect(running).toBe(1)
    end.resolve()
    await second
  })

  it('HEAD: gets an answer, and a second one', async ({ onTestFinished: finished }) => {
    const { client } = await open(framework, gate, async () => 'done', finished)
    const { send } = client()
    expect((await send({ method: 'HEAD' })).status).toBe(200)
    const second = gate.startsWith('throttle') ? 429 : 200
    expect((await send({ method: 'HEAD' })).status).toBe(second)
  })

  it.runIf(framework.protocol === 1)(
    '103: passes before the response',
    async ({ onTestFinished: finished }) => {
      const { client } = await open(
        framework,
        gate,
        async (_req, res) => {
          res.writeEarlyHints({ link: '</a.css>; rel=preload' })
          return 'done'
        },
        finished,
      )
      expect(await client().send(post)).toMatchObject({ status: 200, body: 'done' })
    },
  )

  it('100: asks for a payload, and the gate protects the request', async ({
    onTestFinished: finished,
  }) => {
    const { client, runs } = await open(
      framework,
      gate,
      async (req) => {
        let body = ''
        for await (const part of req) body += String(part)
        return body
      },
      finished,
    )
    const { send } = client()
    const expecting = { ...post, awaitsContinue: true }
    expect(await send(expecting)).toMatchObject({ status: 200, body: 'payload' })
    const second = await send(expecting)
    if (gate.startsWith('throttle')) expect(second.status).toBe(429)
    else expect(second).toMatchObject({ status: 200, body: 'payload' })
    expect(runs()).toBe(gate === 'lock' ? 2 : 1)
  })

  it.runIf(framework.protocol === 1)(
    'pipelining: rejects a second request beside the first, and answers in order',
    async ({ onTestFinished: finished }) => {
      const [begun, end] = [later(), later()]
      const { server, raw, runs } = await open(
        framework,
        gate,
        handlerBetween(begun, end),
        finished,
      )
      const responses: ServerResponse[] = []
      server.on('request', (_req, res) => responses.push(res))
      const { write, received, statuses } = raw()
      write(post, post)
      await begun.promise
      await eventually(() => expect(responses[1]?.writableEnded).toBe(true))
      // The rejection waits in the server for the response to the first request.
      expect([received(), runs()]).toEqual(['', 1])
      end.resolve()
      await eventually(() => expect(statuses()).toEqual([200, rejection(gate)]))
      write(post)
      const third = gate.startsWith('throttle') ? 429 : 200
      await eventually(() => expect(statuses()).toEqual([200, rejection(gate), third]))
      expect(runs()).toBe(gate === 'lock' ? 2 : 1)
    },
  )

  it.runIf(framework.protocol === 1)(
    'upgrade: nobody listens, so the gate protects it as an ordinary request',
    async ({ onTestFinished: finished }) => {
      const [begun, end] = [later(), later()]
      const { raw, runs } = await open(framework, gate, handlerBetween(begun, end), finished)
      const [first, second] = [raw(), raw()]
      first.write(upgrade)
      await begun.promise
      second.write(upgrade)
      await eventually(() => expect(second.statuses()).toEqual([rejection(gate)]))
      end.resolve()
      await eventually(() => expect(first.statuses()).toEqual([200]))
      first.write(post)
      const next = gate.startsWith('throttle') ? 429 : 200
      await eventually(() => expect(first.statuses()).toEqual([200, next]))
      expect(runs()).toBe(gate === 'lock' ? 2 : 1)
    },
  )

  it.runIf(framework.protocol === 1)(
    'upgrade: the gate does not touch one that the server listens to',
    async ({ onTestFinished: finished }) => {
      const { server, client, raw, runs } = await open(
        framework,
        gate,
        async () => 'done',
        finished,
      )
      server.on('upgrade', (_req, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
        socket.pipe(socket)
      })
      const { write, received, statuses, isClosed } = raw()
      write(upgrade)
      await eventually(() => expect(statuses()).toEqual([101]))
      // Nothing is locked, counted or claimed, and the socket is open.
      expect(await client().send(post)).toMatchObject({ status: 200, body: 'done' })
      write({ body: 'echo' })
      await eventually(() => expect(received()).toContain('echo'))
      expect([isClosed(), runs()]).toEqual([false, 1])
    },
  )

  it('the client leaves its upload: the same key can be used again', async ({
    onTestFinished: finished,
  }) => {
    const { client } = await open(framework, gate, async () => 'done', finished)
    const leave = sleep(60)
    await client().send({ ...post, isOpen: true, leave })
    const { status } = await client().send(post)
    expect(gate.startsWith('throttle') ? [200, 429] : [200]).toContain(status)
  })
})

describe.concurrent.each(frameworks.map((framework) => [framework.name, framework] as const))(
  '%s, idempotent',
  (_name, framework) => {
    it('413: the connection can be used again', async ({ onTestFinished: finished }) => {
      const { client, runs } = await open(framework, 'idempotent', async () => 'done', finished)
      const { send } = client()
      const body = 'x'.repeat(3_000_000)
      const headers = { ...post.headers, 'content-length': `${body.length}` }
      const start = performance.now()
      expect((await send({ headers, body })).status).toBe(413)
      expect(await send(post)).toMatchObject({ status: 200, body: 'done' })
      expect(performance.now() - start).toBeLessThan(3000)
      expect(runs()).toBe(1)
    })

    it.runIf(framework.protocol === 1)(
      'pipelining: another key runs beside the first, and the responses keep their order',
      async ({ onTestFinished: finished }) => {
        const [ended, sent] = [later(), later()]
        const { raw, runs } = await open(
          framework,
          'idempotent',
          async (req) => {
            if (req.headers['idempotency-key'] === 'a') {
              await Promise.all([ended.promise, sent.promise])
              return 'first'
            }
            ended.resolve()
            return 'second'
          },
          finished,
        )
        const { write, received, statuses } = raw()
        const other = { ...post, headers: { 'idempotency-key': 'b' } }
        write(post, other)
        await ended.promise
        expect(received()).toBe('')
        sent.resolve()
        await eventually(() => expect(statuses()).toEqual([200, 200]))
        write(other, post)
        await eventually(() => expect(statuses()).toEqual([200, 200, 200, 200]))
        const bodies = (): string[] => received().match(/first|second/g) ?? []
        await eventually(() => expect(bodies()).toEqual(['first', 'second', 'second', 'first']))
        expect(received().match(/idempotent-replayed: true/gi)).toHaveLength(2)
        expect(runs()).toBe(2)
      },
    )

    it('leaves the payload to the handler', async ({ onTestFinished: finished }) => {
      const { client } = await open(
        framework,
        'idempotent',
        async (req) => {
          let body = ''
          for await (const part of req) body += String(part)
          return body
        },
        finished,
      )
      const { send } = client()
      expect(await send(post)).toMatchObject({ status: 200, body: 'payload' })
      expect((await send(post)).headers['idempotent-replayed']).toBe('true')
      expect((await send({ ...post, body: 'other' })).status).toBe(422)
    })
  },
)
