import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type LockNode, Redlock, type SlotRedlock, withSlots } from '../../src/index.ts'
import { recordedNodes } from '../support/recorded-nodes.ts'

// What a client does whose slots are split among the nodes.

const ttl = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const client = (nodes: readonly LockNode[]): SlotRedlock => withSlots(new Redlock({ nodes }))

/** A rival takes one of the slots of a node. */
const takeOn = (node: LockNode, limit: number) => client([node]).acquire('key', { limit, ttl })

it('waits without the first node, too, for a node that may complete its quorum', async () => {
  const { nodes, servers } = recordedNodes(3)
  await takeOn(servers[0]!, 1)
  for (const [index, time] of [10, 10, 18].entries()) servers[index]!.delay(time)
  const running = client(nodes).tryAcquire('key', { limit: 1, ttl })
  await vi.advanceTimersByTimeAsync(200)
  expect(await running).toMatchObject({ ok: true, lock: { keys: ['key#1'] } })
})

it('soon asks a node that has granted another slot for that of the first node', async () => {
  const { nodes, servers } = recordedNodes(3)
  const [first, second, third] = servers
  const rival = await takeOn(first!, 2)
  const both = [await takeOn(second!, 2), await takeOn(second!, 2)]
  // The first two nodes have another slot left each.
  await both.find(({ keys }) => keys[0] === rival.keys[0])!.release()
  for (const node of [first!, second!]) node.delay(10)
  third!.hang()
  const settled = vi.fn()
  const running = client(nodes).tryAcquire('key', { limit: 2, ttl }).finally(settled)
  await vi.advanceTimersByTimeAsync(15)
  for (const lock of both) if (lock.held) void lock.release()
  await vi.advanceTimersByTimeAsync(100)
  expect(settled).toHaveBeenCalled()
  expect(await running).toMatchObject({ ok: true })
})

it('asks no node any more once it is rejected', async () => {
  const { nodes, servers, asked } = recordedNodes(5)
  const rivals = withSlots(new Redlock({ nodes: servers.slice(1, 4) }))
  await rivals.acquire('key', { limit: 1, ttl })
  await takeOn(servers[4]!, 1)
  for (const [index, time] of [10, 10, 10, 14, 10].entries()) servers[index]!.delay(time)
  const running = client(nodes).tryAcquire('key', { limit: 1, ttl })
  // The first node is the client's, which asks the others again before the rival is known to have a quorum.
  await vi.advanceTimersByTimeAsync(13)
  expect(asked()).toHaveLength(8)
  // From now on requests are faster, so that the releases overtake those requests.
  for (const server of servers) server.recover()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await running).toMatchObject({ ok: false, reason: 'locked' })
  expect(asked()).toHaveLength(8)
})
