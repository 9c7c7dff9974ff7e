import { expect, it } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { type Fault, hang, slow, withFault } from '../support/faults.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { realNodes } from '../support/real-nodes.ts'

// A claim that has no quorum does not use the key.

const nodes = realNodes.slice(0, 3)
const faulty = (faults: readonly (Fault | undefined)[]): RestNodeOptions[] =>
  nodes.map((node, index) => (faults[index] ? withFault(node, faults[index]) : node))

it('a claim of another payload on one node is waited for, and no reason for a 422', async () => {
  await appWith(nodes, () => new Response('the servers know the script')).post(freshKey())
  const key = freshKey()
  let isDead = false
  const dying: Fault = (request, send) => {
    if (isDead) return hang(request, send)
    isDead = true
    return send()
  }
  const dead = appWith(faulty([dying, hang, hang]), () => new Response('b'), { ttl: 2_000 })
  void dead.post(key, 'b')
  await eventually(() => expect(isDead).toBe(true))
  const options = { wait: 20_000 }
  const other = appWith(
    faulty([undefined, hang]),
    () => new Response('a', { status: 201 }),
    options,
  )
  const answer = await other.post(key, 'a')
  expect([answer.status, await answer.text()]).toEqual([201, 'a'])
  expect(dead.runs()).toBe(0)
})

it('in a crowd of two payloads, all requests with one payload get one status', async () => {
  for (let turn = 0; turn < 12; turn++) {
    const key = freshKey()
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => {
        const jittery = faulty([slow(20), slow(20), slow(20)])
        const app = appWith(jittery, (c) => c.text('done', 201), { wait: 20_000 })
        return app.post(key, index % 2 === 0 ? 'a' : 'b')
      }),
    )
    const statuses = responses.map(({ status }) => status)
    const [even, odd] = [0, 1].map((rest) => statuses.filter((_, index) => index % 2 === rest))
    expect([new Set(even).size, new Set(odd).size]).toEqual([1, 1])
    expect([even![0], odd![0]].toSorted((a, b) => a! - b!)).toEqual([201, 422])
  }
})
