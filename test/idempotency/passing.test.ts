import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { lock, lockOf, throttle } from '../../src/entries/node.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

it('answers although middleware around `idempotent` drops what it returns', async () => {
  const once = idempotent({ redlock: new Redlock({ nodes: memoryNodes(3) }), scope: () => 's' })
  const app = new Hono()
  app.use(async (c, next) => {
    await once(c as never, next)
    c.header('x-after', '1')
  })
  app.post('/', (c) => c.text('done', 201))
  const post = (key?: string) =>
    app.request('/', { method: 'POST', headers: key ? { 'idempotency-key': key } : {} })
  expect((await post('k')).status).toBe(201)
  expect((await post('k')).status).toBe(201)
  expect((await post()).status).toBe(400)
})

it('shows no lock around one that was not acquired, also after a throttle within (Node)', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const seen: unknown[] = []
  const server = createServer((req, res) => {
    const outer = lock({ redlock, key: 'outer' })
    const inner = lock({ redlock, key: () => null })
    const window = throttle({ redlock, key: () => null, window: 1000 })
    void outer(req, res, () =>
      inner(req, res, async () => {
        seen.push(lockOf(req))
        await window(req, res, () => res.end('x'))
        seen.push(lockOf(req)?.keys)
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  await (await fetch(`http://localhost:${(server.address() as AddressInfo).port}`)).text()
  server.close()
  expect(seen).toEqual([undefined, undefined])
})
