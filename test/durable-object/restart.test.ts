import { afterEach, beforeEach, expect, it } from 'vitest'
import { freshKey } from '../support/nodes.ts'
import { type ObjectWorker, startObjects } from './start.ts'

// The process of workerd is killed and started again over the storage of its objects.

type Answer = { readonly ok: boolean; readonly token: number; readonly lock: object }

let objects: ObjectWorker
beforeEach(async () => void (objects = await startObjects()))
afterEach(() => objects.stop())

const acquire = (key: string, query = ''): Promise<Answer> =>
  objects.post(`/acquire/${key}?ttl=600000${query}`)
const release = ({ lock }: Answer): Promise<{ result: string }> =>
  objects.post('/release', JSON.stringify(lock))

it('a lock that is held stays held, and can be released', async () => {
  const key = freshKey()
  const held = await acquire(key)
  expect(held.ok).toBe(true)
  await objects.restart()
  expect(await acquire(key)).toMatchObject({ ok: false, reason: 'locked' })
  expect(await release(held)).toEqual({ result: 'released' })
  expect(await acquire(key)).toMatchObject({ ok: true })
})

it('the slots of a limit stay taken', async () => {
  const key = freshKey()
  const first = await acquire(key, '&limit=2')
  expect(await acquire(key, '&limit=2')).toMatchObject({ ok: true })
  await objects.restart()
  expect(await acquire(key, '&limit=2')).toMatchObject({ ok: false, reason: 'locked' })
  await release(first)
  expect(await acquire(key, '&limit=2')).toMatchObject({ ok: true })
})

it('fencing tokens go on rising', async () => {
  const key = freshKey()
  let last = 0
  for (let turn = 0; turn < 3; turn++) {
    for (let lock = 0; lock < 3; lock++) {
      const held = await acquire(key)
      expect(held.token).toBeGreaterThan(last)
      last = held.token
      await release(held)
    }
    await objects.restart()
  }
})

it('a value that was made once stays the value', async () => {
  const key = freshKey()
  const value = await objects.post<string>(`/once/${key}`)
  await objects.restart()
  expect(await objects.post(`/once/${key}`)).toBe(value)
})

it('each object keeps its identity', async () => {
  await acquire(freshKey())
  const identities = await objects.post<string[]>('/identities')
  expect(new Set(identities).size).toBe(3)
  await objects.restart()
  await acquire(freshKey())
  expect(await objects.post('/identities')).toEqual(identities)
})
