import { describe, expect, inject, it } from 'vitest'
import { Redlock, type RestNodeOptions, throttle, withSlots } from '../../src/index.ts'
import { hang, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'

const nodes = (JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
  .slice(0, 3)
  .toSorted((a, b) => (a.url < b.url ? -1 : 1))

/** A client over these nodes, which remembers nothing of others. */
const throttled = (list: readonly RestNodeOptions[]) => {
  const redlock = withSlots(new Redlock({ nodes: list, warnings: false, nodeTimeout: 10_000 }))
  return (key: string, limit: number) => throttle(redlock, key, { window: 60_000, limit })
}

describe('remaining', () => {
  it('counts down to 0', async () => {
    const key = freshKey()
    for (const remaining of [2, 1, 0]) {
      expect(await throttled(nodes)(key, 3)).toMatchObject({ ok: true, remaining })
    }
    expect(await throttled(nodes)(key, 3)).toMatchObject({ ok: false, reason: 'locked' })
  })

  const orders = [nodes, nodes.toReversed()] as [
    RestNodeOptions,
    RestNodeOptions,
    RestNodeOptions,
  ][]
  // A node that has missed who holds a slot may be the first, and a client may begin with that slot or another one.
  const all = orders.flatMap((order) => Array.from({ length: 8 }, () => order))
  it.each(all)('does not count a slot that is free on a minority of the nodes', async (a, b, c) => {
    const key = freshKey()
    const first = await throttled([a, b, withFault(c, reject)])(key, 2)
    expect(first).toMatchObject({ ok: true, remaining: 1 })
    const second = await throttled([a, withFault(b, hang), c])(key, 2)
    expect(second).toMatchObject({ ok: true, remaining: 0 })
    expect(await throttled(nodes)(key, 2)).toMatchObject({ ok: false, reason: 'locked' })
  })
})
