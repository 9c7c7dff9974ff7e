import { type Context, Hono } from 'hono'
import { streamText } from 'hono/streaming'
import { expect, it, vi } from 'vitest'
import { lock } from '../../src/entries/hono.ts'
import { fromEnv, lockKey, type RestNodeOptions, withSlots } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

// Two streams per user, over five real servers: the example of docs/reference/lifecycle.md with a limit.

type AppEnv = {
  Bindings: { REDLOCK_NODES: RestNodeOptions[]; lines: () => AsyncIterable<string> }
}

const app = new Hono<AppEnv>()

app.get(
  '/answers/:user',
  lock({
    redlock: (c: Context<AppEnv>) => withSlots(fromEnv(c.env)),
    key: (c) => lockKey('streams', c.req.param('user')),
    limit: 2,
  }),
  (c) =>
    streamText(c, async (stream) => {
      for await (const line of c.env.lines()) {
        c.var.lock?.signal.throwIfAborted()
        if (stream.aborted) return
        await stream.writeln(line)
      }
    }),
)

// The time for anything to happen on a busy machine, in ms.
const patience = 20_000

it('opens two streams per user, and frees a slot when a body ends or its client has gone', async () => {
  const user = freshKey()
  const source = later()
  const lines = async function* (): AsyncGenerator<string> {
    yield 'first'
    await source.promise
    yield 'last'
  }
  const get = async (id = user): Promise<Response> =>
    app.request(`/answers/${id}`, {}, { REDLOCK_NODES: nodes, lines })
  const burst = await Promise.all(Array.from({ length: 6 }, () => get()))
  const statuses = burst.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([200, 200, 409, 409, 409, 409])
  const [one, two] = burst.filter(({ ok }) => ok)
  const other = await get(freshKey())
  expect(other.status).toBe(200)
  await other.body!.cancel()

  const next = async (): Promise<Response> => {
    let response = await get()
    await vi.waitFor(async () => {
      if (!response.ok) response = await get()
      expect(response.status).toBe(200)
    }, patience)
    return response
  }
  await one!.body!.cancel()
  const third = await next()
  expect((await get()).status).toBe(409)
  source.resolve()
  expect(await two!.text()).toBe('first\nlast\n')
  expect(await third.text()).toBe('first\nlast\n')
  const free = await Promise.all([next(), next()])
  await Promise.all(free.map((response) => response.body!.cancel()))
})
