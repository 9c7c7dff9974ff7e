import { expect, it } from 'vitest'
import { type BodyStore, bodyStore } from '../../src/entries/idempotency.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

// A store that hangs costs an answer its record, and not its client: after 15 s for a body, and 2 s for a
// replay without a `wait`.

const large = (): Response => new Response('x'.repeat(20_000), { status: 201 })
const never = new Promise<never>(() => {})

it.concurrent.each<[string, BodyStore, number]>([
  ['put', bodyStore({ put: () => never, get: () => never }), 409],
  ['get', bodyStore({ put: async () => {}, get: () => never }), 503],
])('a store whose `%s` hangs', async (_, store, status) => {
  const app = appWith(nodes, large, { store })
  const key = freshKey()
  const begun = Date.now()
  expect((await app.post(key)).status).toBe(201)
  // Two tries share the time of one.
  expect(Date.now() - begun).toBeLessThan(25_000)
  const again = Date.now()
  expect((await app.post(key)).status).toBe(status)
  expect(Date.now() - again).toBeLessThan(10_000)
  expect(app.runs()).toBe(1)
})
