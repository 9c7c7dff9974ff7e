import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { idempotent, lock, throttle } from '../../src/entries/node.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { clientOf } from './client.ts'
import { frameworks, type Handler, type Middleware } from './servers.ts'

// Failures after a whole response was written, while its end is held back: the client gets the same response as
// without the middleware.

/** Slow nodes, so that the end is held back when something fails. */
const slow = (): Redlock => {
  const nodes = memoryNodes(3)
  for (const node of nodes) node.delay(40)
  return new Redlock({ nodes, ttl: 5000, warnings: false })
}

const plain: Middleware = (_req, _res, next) => next() as undefined
const gates: Readonly<Record<string, () => Middleware>> = {
  idempotent: () => idempotent({ redlock: slow(), scope: () => 'user', wait: 10_000 }),
  lock: () => lock({ redlock: slow(), key: 'k', wait: 10_000 }),
  'throttle with countIf': () =>
    throttle({ redlock: slow(), key: 'k', window: 60_000, countIf: () => false }),
}

/** As `res.json()` of Express does. */
const json = (res: ServerResponse, value: unknown): void => {
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify(value))
}

type Failure = (req: IncomingMessage, res: ServerResponse) => unknown
const fail: Failure = () => {
  throw new Error('the audit log failed')
}
const failures: Readonly<Record<string, Failure>> = {
  throws: fail,
  'throws later': async (req, res) => {
    await sleep(10)
    fail(req, res)
  },
  'responds again': (_req, res) => json(res, { again: true }),
  'sets a status': (_req, res) => void (res.statusCode = 500),
  'destroys the response': (_req, res) => res.destroy(),
  'destroys the response with an error': (_req, res) => {
    res.on('error', () => {})
    res.destroy(new Error('mistake'))
  },
  'destroys the request': (req) => req.destroy(),
  'destroys the connection': (_req, res) => res.socket!.destroy(),
  'destroys the connection later': async (_req, res) => {
    const socket = res.socket!
    await sleep(10)
    socket.destroy()
  },
  'destroys the connection soon, later': async (_req, res) => {
    const socket = res.socket!
    await sleep(10)
    socket.destroySoon()
  },
  'ends the connection': (_req, res) => res.socket!.end(),
}

const charged = { charged: 1 }
/** It is larger than the system's buffers for a connection. */
const large = { ...charged, text: 'x'.repeat(8_000_000) }

const cases = frameworks
  .filter(({ protocol }) => protocol === 1)
  .flatMap((framework) =>
    Object.keys(failures).map((failure) => [framework.name, failure, framework] as const),
  )

describe.concurrent.each(cases)('%s: responds, and then %s', (_name, failure, { serve }) => {
  const respondAndFail =
    (count: () => void, value: unknown): Handler =>
    async (req, res) => {
      count()
      json(res, value)
      await failures[failure]!(req, res)
      return undefined
    }

  it.each(Object.keys(gates))('%s', async (gate) => {
    const received: unknown[] = []
    for (const middleware of [plain, gates[gate]!()]) {
      let runs = 0
      const { port, close } = await serve(
        middleware,
        respondAndFail(() => runs++, charged),
      )
      try {
        for (let turn = 0; turn < 2; turn++) {
          const client = clientOf(1, port)
          const { status, body } = await client.send({ headers: { 'idempotency-key': 'a' } })
          client.close()
          received.push([status, body])
        }
        expect(runs).toBe(middleware !== plain && gate === 'idempotent' ? 1 : 2)
      } finally {
        await close()
      }
    }
    expect(received).toEqual(Array.from({ length: 4 }, () => [200, '{"charged":1}']))
  })

  // Without the middleware, it does not: the unwritten rest is lost.
  const closes = /destroys|ends/.test(failure) && !failure.endsWith('later')
  it.runIf(closes)('large', async () => {
    const { port, close } = await serve(
      gates.lock!(),
      respondAndFail(() => {}, large),
    )
    try {
      const client = clientOf(1, port)
      const { status, body } = await client.send()
      client.close()
      expect([status, body.length]).toEqual([200, JSON.stringify(large).length])
    } finally {
      await close()
    }
  })
})
