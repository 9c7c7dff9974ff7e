import { expect, it } from 'vitest'
import { Redlock, withSlots } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

it('gives back slots that nodes have granted whose replies come after the call has failed', async () => {
  expect(nodes).toHaveLength(5)
  // The nodes know the script.
  await (await withSlots(new Redlock({ nodes })).acquire(freshKey(), { limit: 2 })).release()
  const key = freshKey()
  const { promise: decided, resolve: decide } = later()
  let delivered = 0
  const staged = nodes.map((node, index) => ({
    ...node,
    fetch: (async (url, init) => {
      const isAcquire = (init!.body as string).includes('"any ')
      if (index < 2 || !isAcquire) return fetch(url, init)
      // Without its signal: a request that has timed out goes on.
      const response = await fetch(url, { ...init, signal: null })
      await decided
      delivered++
      return response
    }) as typeof fetch,
  }))
  const options = { nodes: staged, nodeTimeout: 300, warnings: false }
  const result = await withSlots(new Redlock(options)).tryAcquire(key, { limit: 2, ttl: 60_000 })
  expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
  decide()
  await eventually(() => expect(delivered).toBe(3))
  await eventually(async () => {
    const slots = [`lock:l:${key}#1`, `lock:l:${key}#2`]
    const held = nodes.map((node) => command(node, 'EXISTS', ...slots))
    expect(await Promise.all(held)).toEqual([0, 0, 0, 0, 0])
  })
})
