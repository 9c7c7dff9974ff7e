import { expect, inject, it } from 'vitest'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { withSlots } from '../../src/slots/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey, holders, overRest } from '../support/nodes.ts'

const nodes = (JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]).toSorted((a, b) =>
  a.url < b.url ? -1 : 1,
)

const gate = () => {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

it('does not win by late replies a slot that it is about to give up', async () => {
  expect(nodes).toHaveLength(5)
  // The nodes know the script.
  await (await withSlots(new Redlock({ nodes })).acquire(freshKey(), { limit: 2 })).release()
  const key = freshKey()
  // The first node has only slot 1 to grant, and the others have only slot 2.
  for (const [index, node] of nodes.entries()) {
    await command(node, 'SET', `lock:l:${key}#${index === 0 ? 2 : 1}`, 'x'.repeat(20), 'PX', 60_000)
  }
  const [asksAgain, decided] = [gate(), gate()]
  let delivered = 0
  const staged = nodes.map((node, index) => ({
    ...node,
    fetch: (async (url, init) => {
      const body = init?.body as string
      // Without its signal: a request that has timed out goes on.
      const send = (): Promise<Response> => fetch(url, { ...init, signal: null })
      const [isAny, isOnly] = [body.includes('"any '), body.includes('"only ')]
      if (index === 0 || (!isAny && !isOnly)) return send()
      if (index === 4) {
        if (isAny) return new Promise<never>(() => {})
        asksAgain.open()
        await new Promise((resolve) => setTimeout(resolve, 200))
        throw new TypeError('fetch failed')
      }
      if (isAny) {
        const response = await send()
        await asksAgain.opened
        return response
      }
      await decided.opened
      const response = await send()
      delivered++
      return response
    }) as typeof fetch,
  }))
  const options = { nodes: staged, nodeTimeout: 500, warnings: false }
  const result = await withSlots(new Redlock(options)).tryAcquire(key, { limit: 2, ttl: 20_000 })
  decided.open()
  await eventually(() => expect(delivered).toBeGreaterThanOrEqual(3))
  // Without its late replies, too few nodes are left for a slot.
  if (!result.ok) return expect(result.reason).toMatch(/locked|unavailable/)
  const found = await holders(overRest(nodes), `lock:l:${result.lock.keys[0]}`)
  const own = found.filter((holder) => String(holder).startsWith(result.lock.value))
  expect(own.length).toBeGreaterThanOrEqual(3)
})
