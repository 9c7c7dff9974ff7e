import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { eventually } from '../support/eventually.ts'
import { gate } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { appWith } from '../idempotency/app.ts'

// A minority of nodes (one) has the record of a request. Its answer comes after the claim has been won and ended.
// With `concurrency` below the number of nodes, the ballot of the claim then goes on asking the others.

it('leaves no claim on a node that is asked after the request has ended', async () => {
  const nodes = memoryNodes(5)
  const names = nodes.map(({ name }) => name)
  // The same request, recorded on the first node alone.
  const alone = appWith(new Redlock({ nodes: [nodes[0]!] }), (c) => c.text('early', 201))
  await alone.post('k')
  expect([...nodes[0]!.entries.keys()].some((key) => key.includes(':r:'))).toBe(true)

  const late = gate()
  const asked: string[] = []
  const through = nodes.map((node, index) =>
    nodeThrough(node, async (call, send) => {
      asked.push(`${call.operation}${index}`)
      return index === 0 && call.operation === 'a' ? late.fault(call, send) : send()
    }),
  )
  const { post } = appWith(
    new Redlock({ nodes: through, advanced: { concurrency: 1 } }),
    (c) => c.text('busy', 503),
    { ttl: 20_000 },
  )
  expect((await post('k')).status).toBe(503)
  const before = asked.length
  const heldBy = (): string[] =>
    nodes.flatMap(({ entries }, index) =>
      [...entries]
        .filter(([key, entry]) => key.includes(':r:') && JSON.stringify(entry).includes(' c '))
        .map(() => names[index]!),
    )
  await eventually(() => expect(heldBy()).toEqual([]))
  late.open()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(asked.slice(before).filter((one) => one.startsWith('a'))).toEqual([])
  expect(heldBy()).toEqual([])
})
