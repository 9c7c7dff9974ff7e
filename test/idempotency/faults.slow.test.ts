import type { Context } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import {
  cutter,
  during,
  type Fault,
  hang,
  loseReply,
  reject,
  slow,
  withFault,
} from '../support/faults.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { answerOf, appWith } from './app.ts'
import { later } from '../support/signals.ts'
import { realNodes } from '../support/real-nodes.ts'

// Idempotent requests while nodes, networks and processes fail, with real Redis servers. A process that dies
// is a client whose requests no longer reach any node.

const nodes = realNodes.slice(0, 3)
const created = (c: Context): Response => c.json({ id: crypto.randomUUID() }, 201)
const crowd = 10

/** The nodes, with a fault in front of some of them. */
const faulty = (all: readonly RestNodeOptions[], faults: readonly (Fault | undefined)[]) =>
  all.map((node, index) => (faults[index] ? withFault(node, faults[index]) : node))

const textsOf = async (responses: readonly Response[]): Promise<string[]> =>
  Promise.all(responses.map((one) => one.text()))

describe('idempotent requests', () => {
  it.each([
    ['hangs', hang],
    ['is down', reject],
    ['takes 300 ms', slow(600)],
    ['loses its replies', loseReply],
  ])('run once for ten at once, with one answer, while a node %s', async (_, fault) => {
    for (const index of [0, 1, 2]) {
      const faults = [0, 1, 2].map((at) => (at === index ? fault : undefined))
      // Every request has a client of its own, as over isolates.
      const apps = Array.from({ length: crowd }, () =>
        appWith(faulty(nodes, faults), created, { wait: 30_000 }),
      )
      const key = freshKey()
      const responses = await Promise.all(apps.map(({ post }) => post(key)))
      expect(responses.map(({ status }) => status)).toEqual(Array(crowd).fill(201))
      expect(new Set(await textsOf(responses)).size).toBe(1)
      expect(apps.reduce((sum, { runs }) => sum + runs(), 0)).toBe(1)
    }
  })

  it('run once although requests and replies are lost, late and repeated', async () => {
    let seed = 1
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
    const lossy: Fault = async (request, send) => {
      const draw = random()
      if (draw < 0.1) return reject(request, send)
      if (draw < 0.2) return loseReply(request, send)
      if (draw < 0.3) void send().then((response) => response.text())
      if (draw < 0.4) await new Promise((resolve) => setTimeout(resolve, 100 * random()))
      return send()
    }
    for (let turn = 0; turn < 10; turn++) {
      const apps = Array.from({ length: crowd }, () =>
        appWith(faulty(nodes, [lossy, lossy, lossy]), created, { wait: 5_000, ttl: 20_000 }),
      )
      const key = freshKey()
      const answers = await Promise.all(
        apps.map(async ({ post }) => {
          for (;;) {
            const response = await post(key)
            if (response.status === 201) return response.text()
            expect([409, 503]).toContain(response.status)
          }
        }),
      )
      expect(new Set(answers).size).toBe(1)
      expect(apps.reduce((sum, { runs }) => sum + runs(), 0)).toBe(1)
    }
  })

  it('run again after a crash, and the late answer of the first run gives way', async () => {
    const network = cutter()
    const { promise: finished, resolve: finish } = later()
    const stale = appWith(
      faulty(nodes, [network.fault, network.fault, network.fault]),
      async (c) => {
        await finished
        return c.text('stale', 201)
      },
      { ttl: 2_000 },
    )
    const key = freshKey()
    const first = stale.post(key)
    await eventually(() => expect(stale.runs()).toBe(1))
    network.cut()
    const next = appWith(nodes, (c) => c.text('second', 201), { wait: 20_000 })
    const second = await next.post(key)
    expect(await second.text()).toBe('second')
    expect(next.runs()).toBe(1)
    network.mend()
    finish()
    // The process was not dead after all: its client gets the answer that others have got.
    expect(await answerOf(await first)).toMatchObject({
      bytes: [...new TextEncoder().encode('second')],
      replayed: 'true',
    })
    expect(await (await next.post(key)).text()).toBe('second')
    expect(next.runs()).toBe(1)
  })

  it('record a late answer where nobody else has run', async () => {
    const network = cutter()
    const { promise: finished, resolve: finish } = later()
    let name = ''
    const late = appWith(
      faulty(nodes, [network.fault, network.fault, network.fault]),
      async (c) => {
        name = `lock:r:${c.var.lock!.keys[0]}`
        await finished
        return c.text('late', 201)
      },
      { ttl: 2_000 },
    )
    const key = freshKey()
    const first = late.post(key)
    await eventually(() => expect(late.runs()).toBe(1))
    network.cut()
    await eventually(async () => {
      expect(await holders(overRest(nodes), name)).toEqual([null, null, null])
    })
    network.mend()
    finish()
    expect(await (await first).text()).toBe('late')
    const next = appWith(nodes, created)
    expect(await (await next.post(key)).text()).toBe('late')
    expect(next.runs()).toBe(0)
  })

  it('answer only once a majority has the record, and count one that a minority has', async () => {
    // A process that dies while it writes the record: one node gets it.
    let isDead = false
    const dying = (reaches: boolean): Fault =>
      during('c', (request, send) => {
        isDead = true
        return reaches ? send() : hang(request, send)
      })
    const dead: Fault = (request, send) => (isDead ? hang(request, send) : send())
    const fault =
      (reaches: boolean): Fault =>
      (request, send) =>
        request.body.includes('"c"') ? dying(reaches)(request, send) : dead(request, send)
    const dyingApp = appWith(
      faulty(nodes, [fault(true), fault(false), fault(false)]),
      (c) => c.text('once', 201),
      { ttl: 2_000 },
    )
    const key = freshKey()
    const first = dyingApp.post(key)
    let isAnswered = false
    void first.then(({ status }) => (isAnswered = status === 201))
    await eventually(() => expect(isDead).toBe(true))
    // Without the second node, the one that has the record is always seen.
    const next = appWith(faulty(nodes, [undefined, reject]), created, { wait: 20_000 })
    const replay = await next.post(key)
    expect(await answerOf(replay)).toMatchObject({
      bytes: [...new TextEncoder().encode('once')],
      replayed: 'true',
    })
    expect(isAnswered).toBe(false)
    expect(next.runs()).toBe(0)
    // By now a majority has it, whichever node fails.
    for (const failed of [0, 1, 2]) {
      const app = appWith(
        nodes.map((node, index) => (index === failed ? withFault(node, reject) : node)),
        created,
      )
      await eventually(async () => expect(await (await app.post(key)).text()).toBe('once'))
      expect(app.runs()).toBe(0)
    }
    expect((await first).status).toBe(503)
  })

  it('answer 503 in an outage, before and after the handler has run', async () => {
    const down = appWith(faulty(nodes, [reject, reject]), created)
    const rejected = await down.post(freshKey())
    expect(rejected.status).toBe(503)
    expect(rejected.headers.get('retry-after')).toBe('1')
    expect(down.runs()).toBe(0)
    const key = freshKey()
    const failing = during('c', reject)
    const unrecorded = appWith(faulty(nodes, [failing, failing]), created, { ttl: 2_000 })
    const response = await unrecorded.post(key)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      detail: 'The request may have been processed. Please try again with the same key.',
    })
    expect(unrecorded.runs()).toBe(1)
  })
})

describe('records and restarts', () => {
  let cluster: Cluster
  let five: RestNodeOptions[]
  beforeAll(async () => {
    cluster = await startCluster({ count: 5 })
    five = JSON.parse(cluster.env.REDLOCK_NODES) as RestNodeOptions[]
  })
  afterAll(() => cluster.close())

  it('survive a node that hangs, one that restarts empty, and ten duplicates at once', async () => {
    for (const [hanging, restarted] of [
      [0, 1],
      [4, 0],
    ] as const) {
      const sick = five.map((node, index) => (index === hanging ? withFault(node, hang) : node))
      const key = freshKey()
      const apps = Array.from({ length: crowd }, () => appWith(sick, created, { wait: 30_000 }))
      const before = await Promise.all(apps.map(({ post }) => post(key)))
      const { redis } = cluster.nodes[restarted]!
      await redis!.crash()
      await redis!.restart()
      const after = await Promise.all(apps.map(({ post }) => post(key)))
      const all = await textsOf([...before, ...after])
      expect(new Set(all).size).toBe(1)
      expect(apps.reduce((sum, { runs }) => sum + runs(), 0)).toBe(1)
    }
  })

  it('are restored on a node that has lost them', async () => {
    const app = appWith(five, created)
    const key = freshKey()
    const answer = await (await app.post(key)).text()
    const [lost, ...kept] = overRest(five)
    const names = (await kept[0]!.command('KEYS', 'lock:r:*')) as string[]
    await lost!.command('FLUSHALL')
    await eventually(async () => {
      expect(await (await app.post(key)).text()).toBe(answer)
      const records = (await lost!.command('KEYS', 'lock:r:*')) as string[]
      expect(records.some((name) => names.includes(name))).toBe(true)
      const owner = await lost!.command('GET', records[0]!)
      expect(String(owner).split(' ')[1]).toBe('d')
    })
    expect(app.runs()).toBe(1)
  })

  it('cost six commands with three nodes, and three for a replay or a rejection', async () => {
    let [sent, answered] = [0, 0]
    const counted: Fault = async (_, send) => {
      sent++
      try {
        return await send()
      } finally {
        answered++
      }
    }
    const three = five.slice(0, 3)
    // The servers know the scripts from here on.
    await appWith(three, created).post(freshKey())
    const { post } = appWith(
      three.map((node) => withFault(node, counted)),
      created,
    )
    const cost = async (key: string): Promise<number> => {
      const before = sent
      await post(key)
      // A node that a record has not reached yet would get it again by the next request.
      await eventually(() => expect(answered).toBe(sent))
      return sent - before
    }
    const costs: number[][] = []
    for (const key of [freshKey(), freshKey(), freshKey(), freshKey()]) {
      costs.push([await cost(key), await cost(key), await cost(key)])
    }
    // A node that answers late, as on a busy machine, gets a release as well.
    const lowest = [0, 1, 2].map((index) => Math.min(...costs.map((one) => one[index]!)))
    expect(lowest).toEqual([6, 3, 3])
  })

  it('work for clients of one Redlock, which queue up', async () => {
    const redlock = new Redlock({ nodes: five })
    const app = appWith(redlock, created, { wait: 30_000 })
    const key = freshKey()
    const responses = await Promise.all(Array.from({ length: 50 }, () => app.post(key)))
    expect(new Set(await textsOf(responses)).size).toBe(1)
    expect(app.runs()).toBe(1)
  })
})
