import { expect, it, vi } from 'vitest'
import { kvStore, type BodyStore } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

it.each<[string, () => unknown]>([
  ['throws, as for a binding that is missing', () => kvStore(undefined as never)],
  ['returns nothing', () => undefined],
  ['returns something else', () => ({ put: () => {} })],
])('nothing runs where the function `store` %s', async (_, store) => {
  const key = freshKey()
  const app = appWith(nodes, (c) => c.text('done'), { store: store as () => BodyStore })
  app.app.onError((error, c) => c.text(error.message, 500))
  const failed = await app.post(key)
  expect([failed.status, await failed.text()]).toEqual([
    500,
    expect.stringMatching(/`store`|`kv.put`/),
  ])
  expect(app.runs()).toBe(0)
  // Nothing stays claimed.
  const mended = appWith(nodes, (c) => c.text('done'))
  expect((await mended.post(key)).status).toBe(200)
})

it('the console shows that an answer is too large to be recorded', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  try {
    const large = (): Response => new Response('x'.repeat(20_000))
    const silent = new Redlock({ nodes, warnings: false })
    await appWith(silent, large).post(freshKey())
    expect(warn).not.toHaveBeenCalled()
    await appWith(nodes, large).post(freshKey())
    await appWith(nodes, large).post(freshKey())
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([
      expect.stringMatching(/^edge-redlock: a response is larger than `maxBody`: .* `store`/),
    ])
  } finally {
    warn.mockRestore()
  }
})

it('a record that would not fit the reply of a node is dropped, and never runs again', async () => {
  const header = '"'.repeat(12_000)
  const answer = (): Response => new Response('x'.repeat(32_000), { headers: { etag: header } })
  const app = appWith(new Redlock({ nodes, warnings: false }), answer, { maxBody: 32_768 })
  const key = freshKey()
  expect((await app.post(key)).status).toBe(200)
  const replay = await app.post(key)
  expect([replay.status, app.runs()]).toEqual([409, 1])
})
