import { expect, it } from 'vitest'
import { forceRelease, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { gate } from '../../tools/faults.ts'
import { eventually } from '../support/eventually.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// A release by force arrives at two of five nodes before an extension, and at the others after it.

it('a node that was released by force is not acquired again by the lock', async () => {
  const nodes = memoryNodes(5)
  const late = gate()
  const admin = new Redlock({
    nodes: nodes.map((node, index) =>
      nodeThrough(node, (call, send) => (index >= 2 ? late.fault(call, send) : send())),
    ),
  })
  const lock = await new Redlock({ nodes }).acquire('k', { ttl: 20_000 })
  const holds = (): number[] =>
    nodes.flatMap(({ entries }, index) => (entries.has('lock:l:k') ? [index] : []))
  expect(holds()).toEqual([0, 1, 2, 3, 4])
  const forced = forceRelease(admin, 'k', { id: lock.id })
  await eventually(() => expect(holds()).toEqual([2, 3, 4]))
  await lock.extend()
  await new Promise((resolve) => setTimeout(resolve, 200))
  late.open()
  expect(await forced).toMatchObject({ state: 'released' })
  // One node is down: two of the others would have to grant as well.
  nodes[4]!.fail()
  const next = await new Redlock({ nodes }).tryAcquire('k', { ttl: 1_000 })
  expect([next.ok, holds()]).toEqual([true, [0, 1, 2, 3]])
})
