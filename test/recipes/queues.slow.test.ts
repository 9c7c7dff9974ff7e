import { writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startWorker } from '../../tools/servers/worker.ts'
import { startCounter } from '../../verification/apps/counter.ts'
import { pageModules } from './page-modules.ts'

// The Workers of docs/recipes/queues.md and docs/recipes/cron.md on workerd, with a queue and three Durable Objects. A
// server outside of them counts the effects.

const config = (main: string): string => `
name = "queues"
main = "${main}"
compatibility_date = "2026-10-01"
compatibility_flags = ["nodejs_compat"]
durable_objects.bindings = [{ name = "REDLOCK", class_name = "RedlockNode" }]
migrations = [{ tag = "v1", new_sqlite_classes = ["RedlockNode"] }]
queues.producers = [{ queue = "orders", binding = "ORDERS" }]
queues.consumers = [{ queue = "orders", max_batch_size = 10, max_batch_timeout = 1, max_retries = 10 }]
`

const objects = fileURLToPath(new URL('../../src/entries/durable-object.ts', import.meta.url))

/** Serves the Workers of the pages, with routes that send messages and fire its schedule. */
const entryOf = (worker: string, cron: string, counter: string): string => `
import { durableObjectNodes } from '${objects}'
import worker from '${worker}'
import cron from '${cron}'
export * from '${worker}'
const service = { fetch: async (url) => {
  const key = url.split('/').at(-1)
  await fetch('${counter}/begin/' + key, { method: 'POST' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  return fetch('${counter}/end/' + key, { method: 'POST' })
} }
const duplicates = Array.from({ length: 20 })
export default {
  queue: (batch, env) => worker.queue(batch, { ...env, SERVICE: service }),
  async fetch(request, env) {
    const [, what, value] = new URL(request.url).pathname.split('/')
    if (what === 'orders') await env.ORDERS.sendBatch(duplicates.map(() => ({ body: { id: value } })))
    const nodes = { REDLOCK_NODES: durableObjectNodes(env.REDLOCK), REPORTS: service }
    const fire = () => cron.scheduled({ scheduledTime: Number(value) }, nodes)
    if (what === 'tick') await Promise.all(duplicates.map(fire))
    return new Response('done')
  },
}
`

it('handles 20 messages of one event once, and 20 calls of one tick', async () => {
  const counter = await startCounter()
  onTestFinished(() => counter[Symbol.asyncDispose]())
  const worker = (await pageModules('docs/recipes/queues.md'))('worker.ts')
  const cron = (await pageModules('docs/recipes/cron.md'))('scheduled.ts')
  const directory = dirname(worker)
  await writeFile(join(directory, 'entry.js'), entryOf(worker, cron, counter.url))
  await writeFile(join(directory, 'wrangler.toml'), config('entry.js'))
  const { url, stop } = await startWorker({
    variables: {},
    config: join(directory, 'wrangler.toml'),
    port: 0,
  })
  onTestFinished(stop)
  const post = async (path: string): Promise<string> =>
    (await fetch(`${url}/${path}`, { method: 'POST' })).text()
  const id = randomUUID()
  expect(await post(`orders/${id}`)).toBe('done')
  await vi.waitFor(() => expect(counter.of(id).effects).toBe(1), 20_000)
  expect(await post('tick/1800000000000')).toBe('done')
  expect(counter.of('send').effects).toBe(1)
  // The messages that found the event in progress are delivered again after five seconds.
  await new Promise((resolve) => setTimeout(resolve, 8_000))
  expect(counter.of(id).effects).toBe(1)
}, 90_000)
