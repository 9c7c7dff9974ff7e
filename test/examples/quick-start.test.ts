import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { extractExamples } from '../../tools/docs/extract.ts'
import { type Running, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { freshKey } from '../support/nodes.ts'

// The Worker of the quick start runs as it stands: on workerd, with nothing but its secret.

const page = 'docs/quick-start.md'
const root = fileURLToPath(new URL('../..', import.meta.url))

let worker: Running
let directory: string
beforeAll(async () => {
  const examples = extractExamples(page, await readFile(join(root, page), 'utf8'))
  const { code } = examples.find((example) => example.code.includes('export default app'))!
  // Inside the repository, where the package is found by its name.
  directory = await mkdtemp(join(root, '.docs-check-quick-start-'))
  const entry = join(directory, 'worker.ts')
  await writeFile(entry, code)
  worker = await startRuntime(workerd(entry), { REDLOCK_NODES: inject('REDLOCK_NODES') })
})
afterAll(async () => {
  await worker?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** The order of a click, and whether it is a replay. */
const click = async (key: string, user: string): Promise<{ order: string; replayed: boolean }> => {
  const headers = { 'idempotency-key': key, 'x-user': user }
  const response = await worker.call('/orders', { method: 'POST', headers })
  expect(response.status).toBe(201)
  const { order } = (await response.json()) as { order: string }
  return { order, replayed: response.headers.has('idempotent-replayed') }
}

it('makes one order of several simultaneous clicks', async () => {
  const key = freshKey()
  const clicks = await Promise.all(Array.from({ length: 5 }, () => click(key, 'ada')))
  expect(new Set(clicks.map(({ order }) => order)).size).toBe(1)
  expect(clicks.filter(({ replayed }) => !replayed)).toHaveLength(1)
})

it('rejects a request without a user', async () => {
  const headers = { 'idempotency-key': freshKey() }
  expect((await worker.call('/orders', { method: 'POST', headers })).status).toBe(401)
})

it('makes another order for another user, and for another key', async () => {
  const key = freshKey()
  const orders = await Promise.all([
    click(key, 'ada'),
    click(key, 'grace'),
    click(freshKey(), 'ada'),
  ])
  expect(new Set(orders.map(({ order }) => order)).size).toBe(3)
})
