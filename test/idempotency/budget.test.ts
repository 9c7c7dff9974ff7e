import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { during, type Fault, reject, withFault } from '../support/faults.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'

// One budget is for all that an idempotent request sends: its claim, extensions, record and repairs.

// Of its own: another test would make the common ones forget scripts, which costs requests.
let cluster: Cluster
let nodes: RestNodeOptions[]

/** The nodes, with faults by rank; the requests and those that have been answered. */
const counted = (faults: readonly (Fault | undefined)[]) => {
  const count = { sent: 0, ended: 0 }
  const counting =
    (fault: Fault | undefined): Fault =>
    async (request, send) => {
      count.sent++
      try {
        return await (fault ? fault(request, send) : send())
      } finally {
        count.ended++
      }
    }
  return { count, nodes: nodes.map((node, rank) => withFault(node, counting(faults[rank]))) }
}

const noRecord = during('c', reject)

beforeAll(async () => {
  cluster = await startCluster({ count: 3 })
  nodes = JSON.parse(cluster.env.REDLOCK_NODES) as RestNodeOptions[]
  // The servers know the scripts from here on.
  await appWith(nodes, (c) => c.text('done')).post(freshKey())
})
afterAll(() => cluster.close())

it.each([6, 12, 30])('writing a record stops with a budget of %d', async (budget) => {
  const { count, nodes } = counted([undefined, noRecord, noRecord])
  const redlock = new Redlock({ nodes, budget, warnings: false })
  const app = appWith(redlock, (c) => c.text('done', 201))
  expect((await app.post(freshKey())).status).toBe(503)
  expect(app.runs()).toBe(1)
  await eventually(() => expect(count.ended).toBe(count.sent))
  expect(count.sent).toBeLessThanOrEqual(budget)
})

it('extensions of a claim leave the requests of its record', async () => {
  const { count, nodes } = counted([])
  const redlock = new Redlock({ nodes, budget: 12, warnings: false })
  const app = appWith(
    redlock,
    async (c) => {
      // Claimed by 3 requests, and extended by 3 more.
      await eventually(() => expect(count.ended).toBeGreaterThanOrEqual(9))
      return c.text('done', 201)
    },
    { ttl: 3_000 },
  )
  expect((await app.post(freshKey())).status).toBe(201)
  await eventually(() => expect(count.ended).toBe(count.sent))
  expect(count.sent).toBe(12)
})

it('writing a record without a budget tries less and less often', async () => {
  const { count, nodes } = counted([undefined, noRecord, noRecord])
  const app = appWith(new Redlock({ nodes, warnings: false }), (c) => c.text('done', 201), {
    ttl: 2_000,
  })
  expect((await app.post(freshKey())).status).toBe(503)
  // About 10 tries in 2 s.
  expect(count.sent).toBeLessThan(70)
})

it('repairing a record of a minority is tried once, and again as the budget allows', async () => {
  const key = freshKey()
  let name = ''
  const poor = new Redlock({
    nodes: counted([undefined, noRecord, noRecord]).nodes,
    budget: 6,
    warnings: false,
  })
  const dying = appWith(
    poor,
    (c) => {
      name = `lock:r:${c.var.lock!.keys[0]}`
      return c.text('a')
    },
    { ttl: 1_000 },
  )
  await dying.post(key)
  // Once the claims have expired, only the record is left.
  await eventually(async () =>
    expect(await holders(overRest(nodes), name)).toEqual([expect.anything(), null, null]),
  )
  // Without the third node, the one that has the record is always seen.
  const { count, nodes: sick } = counted([undefined, noRecord, reject])
  const redlock = new Redlock({ nodes: sick, budget: 12, warnings: false })
  const repairing = appWith(redlock, (c) => c.text('b'), { wait: 30_000 })
  expect((await repairing.post(key)).status).toBe(503)
  await eventually(() => expect(count.ended).toBe(count.sent))
  expect(repairing.runs()).toBe(0)
  // A look-up, a promise, a record and a release on each node may be beyond the budget.
  expect(count.sent).toBeLessThanOrEqual(12 + 4 * 3)
  const wellNodes = counted([undefined, undefined, reject]).nodes
  const well = appWith(new Redlock({ nodes: wellNodes, budget: 6, warnings: false }), (c) =>
    c.text('c'),
  )
  await eventually(async () => expect(await (await well.post(key)).text()).toBe('a'))
})

it('nodes that lack a record get it as the budget allows', async () => {
  const memory = memoryNodes(3)
  const key = freshKey()
  const answer = appWith(new Redlock({ nodes: memory }), (c) => c.text('a', 201))
  await answer.post(key)
  const [lost] = memory
  const name = [...lost!.entries.keys()].find((one) => one.includes(':r:'))!
  lost!.entries.clear()
  const poor = new Redlock({ nodes: memory, budget: 6 })
  expect((await appWith(poor, (c) => c.text('b')).post(key)).status).toBe(201)
  expect((await appWith(poor, (c) => c.text('b')).post(key)).status).toBe(201)
  expect(lost!.entries.get(name)).toBeUndefined()
  const rich = new Redlock({ nodes: memory, budget: 12 })
  expect((await appWith(rich, (c) => c.text('b')).post(key)).status).toBe(201)
  await eventually(() => expect(lost!.entries.get(name)?.value).toContain(' d '))
})

it('a duplicate that waits gets the answer within its budget, also while the first node is down', async () => {
  const nodes = ['a', 'b', 'c'].map((name) => memoryNode({ name }))
  nodes[0]!.fail()
  const redlock = new Redlock({ nodes, warnings: false })
  const first = appWith(redlock, async (c) => {
    await setTimeout(1_000)
    return c.text('done', 201)
  })
  const waiting = new Redlock({ nodes, budget: 30, warnings: false })
  const duplicate = appWith(waiting, (c) => c.text('again'), { wait: 5_000 })
  const key = freshKey()
  const answers = await Promise.all([
    first.post(key),
    setTimeout(100).then(() => duplicate.post(key)),
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 201])
  expect(duplicate.runs()).toBe(0)
})
