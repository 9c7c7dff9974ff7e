import { expect, it, onTestFinished, vi } from 'vitest'
import { type LockNode, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { freshKey } from '../support/nodes.ts'
import { serveSockets } from '../support/socket-server.ts'
import { type NodeFault, nodeThrough } from '../../tools/node-through.ts'
import { hangUntilAborted } from '../../tools/faults.ts'
import { realNodes as servers } from '../support/real-nodes.ts'

it('sends a few requests to a node that swallows packets, however many calls there are', async () => {
  const blackHole = await serveSockets()
  onTestFinished(async () => void (await blackHole.stop()))
  const url = `http://127.0.0.1:${blackHole.port}`
  let sent = 0
  const counting: typeof fetch = (input, init) => (sent++, fetch(input, init))
  const [one, two] = servers
  // Without a scope of its own nothing is known of this set of nodes.
  const nodes = [one!, two!, { url, token: 'any', fetch: counting }]
  const redlock = new Redlock({ nodes, warnings: false })
  const begun = performance.now()
  const elapsed = (): number => performance.now() - begun
  let calls = 0
  let early = 0
  let knownFrom = Infinity
  while (elapsed() < 3000) {
    await redlock.using(freshKey(), async () => {})
    if (++calls === 16) knownFrom = elapsed() + 700
    if (elapsed() < knownFrom) early++
  }
  // Those of half a second from the sixteenth, then one each quarter of a second: an acquire and a release each.
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThanOrEqual(2 * (early + Math.ceil((4 * elapsed()) / 1000)))
})

/** The node, with a switch that makes it swallow its requests, and a count of them. */
const swallowing = (node: LockNode) => {
  const state = { swallows: true, asked: 0 }
  const swallow: NodeFault = (call, send) => {
    state.asked++
    return state.swallows ? hangUntilAborted(call) : send()
  }
  return { state, node: nodeThrough(node, swallow) }
}

it('asks a node again once it answers', async () => {
  const [one, two, three] = memoryNodes(3)
  const { state, node } = swallowing(three!)
  const redlock = new Redlock({ nodes: [one!, two!, node], warnings: false })
  const call = (): Promise<void> => redlock.using(freshKey(), async () => {})
  // Until it is left alone.
  await vi.waitFor(
    async () => {
      const before = state.asked
      await call()
      expect(state.asked).toBe(before)
    },
    { timeout: 10_000, interval: 5 },
  )
  state.swallows = false
  const isAsked = async (): Promise<number> => {
    const before = state.asked
    await call()
    return state.asked - before
  }
  await expect.poll(isAsked, { timeout: 10_000 }).toBe(2)
})

it('asks all nodes where a quorum is silent, as in a process that was busy', async () => {
  const nodes = memoryNodes(3).map(swallowing)
  const redlock = new Redlock({
    nodes: nodes.map(({ node }) => node),
    nodeTimeout: 50,
    warnings: false,
  })
  const calls = Array.from({ length: 40 }, () => redlock.tryAcquire(freshKey()))
  for (const { ok } of await Promise.all(calls)) expect(ok).toBe(false)
  for (const { state } of nodes) state.swallows = false
  expect((await redlock.tryAcquire(freshKey())).ok).toBe(true)
})

it('releases a node that rejected the second delivery, and executes the first later', async () => {
  const [one, two, three] = memoryNodes(3)
  let deliverFirst: (() => Promise<unknown>) | undefined
  const node = nodeThrough(one!, async ({ operation }, send) => {
    if (operation !== 'a' || deliverFirst) return send()
    deliverFirst = send
    throw new Error('read ECONNRESET')
  })
  const key = freshKey()
  const holder = await new Redlock({ nodes: [one!, two!, three!] }).acquire(key)
  const redlock = new Redlock({ nodes: [node, two!, three!] })
  expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
  await holder.release()
  await deliverFirst!()
  await expect.poll(() => one!.entries.has(`lock:l:${key}`)).toBe(false)
})

it('says that a lock has expired that others deleted, even over a client that may repeat requests', async () => {
  const servers = memoryNodes(3)
  const redlock = new Redlock({ nodes: servers.map((node) => ({ ...node, resends: true })) })
  const lock = await redlock.acquire(freshKey())
  for (const { entries } of servers) entries.clear()
  expect(await lock.release()).toBe('expired')
})

it('repeats no request without a budget for it', async () => {
  let sent = 0
  const dying = memoryNodes(3).map((node) =>
    nodeThrough(node, () => {
      sent++
      return Promise.reject(new Error('read ECONNRESET'))
    }),
  )
  const redlock = new Redlock({ nodes: dying, budget: 6, warnings: false })
  expect(await redlock.tryAcquire(freshKey())).toMatchObject({ ok: false, reason: 'unavailable' })
  await expect.poll(() => sent).toBeGreaterThan(3)
  expect(sent).toBeLessThanOrEqual(6)
})

it('waits for a far node that a quorum needs, however many requests are under way', async () => {
  const nodes = memoryNodes(3)
  nodes[1]!.fail()
  nodes[2]!.delay(150)
  const redlock = new Redlock({ nodes, warnings: false })
  const calls: Promise<boolean>[] = []
  for (let call = 0; call < 300; call++) {
    calls.push(redlock.tryAcquire(freshKey()).then(({ ok }) => ok))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect((await Promise.all(calls)).filter((ok) => !ok)).toEqual([])
})
