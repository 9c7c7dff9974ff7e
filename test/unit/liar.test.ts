import { expect, it } from 'vitest'
import { type LockNode, Redlock } from '../../src/index.ts'
import { memoryNode } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { downNode } from '../support/down-node.ts'

// The claims of docs/understand/security.md about nodes that lie on purpose. These lie as much as a node can: they
// grant every lock to every client, and report any counter.

const liar = (name: string, fence?: number): LockNode => ({
  name,
  run: async (command, { serverId }) => ({
    status: 'granted',
    ttl: 1000,
    counter: fence ?? ('minCounter' in command ? command.minCounter : 0),
    // A different identity for each client, so that no client finds two nodes to be one.
    server: `${name} ${serverId}`,
  }),
})

const honest = (count: number): LockNode[] =>
  Array.from({ length: count }, (_, index) => memoryNode({ name: `honest ${index}` }))

/** The nodes for a client that cannot reach some of them. */
const without = (nodes: readonly LockNode[], ...names: string[]): LockNode[] =>
  nodes.map((node) => (names.includes(node.name) ? downNode(node.name, 'out of reach') : node))

it('one liar of three can grant a lock to two clients that reach different honest nodes', async () => {
  const nodes = [liar('a liar'), ...honest(2)]
  const one = new Redlock({ nodes: without(nodes, 'honest 0') })
  const two = new Redlock({ nodes: without(nodes, 'honest 1') })
  expect((await one.tryAcquire('key')).ok).toBe(true)
  expect((await two.tryAcquire('key')).ok).toBe(true)
})

it(
  'two liars of five cannot grant a lock twice if all clients use a quorum of four',
  { timeout: 20_000 },
  async () => {
    const nodes = [liar('a liar'), liar('b liar'), ...honest(3)]
    const names = nodes.map(({ name }) => name)
    for (const unseen of names) {
      for (const unseenByOther of names) {
        const key = `${unseen} ${unseenByOther}`
        const one = new Redlock({ nodes: without(nodes, unseen), advanced: { quorum: 4 } })
        const two = new Redlock({ nodes: without(nodes, unseenByOther), advanced: { quorum: 4 } })
        expect((await one.tryAcquire(key)).ok).toBe(true)
        expect((await two.tryAcquire(key)).ok).toBe(false)
      }
    }
  },
)

it('a minority cannot prevent a lock by rejecting it, or by not answering', async () => {
  const silent = memoryNode({ name: 'silent' })
  silent.hang()
  const no: LockNode = {
    name: 'no',
    run: async () => ({ status: 'locked', ttl: 1000, holder: 'somebody', counter: 1 }),
  }
  const redlock = new Redlock({ nodes: [silent, no, ...honest(3)] })
  expect(await redlock.tryAcquire('key')).toMatchObject({ ok: true })
})

it('a minority cannot prevent a lock by telling one identity, and nobody throws', async () => {
  const twin = (name: string): LockNode =>
    nodeThrough(liar(name), async (_, send) => ({ ...(await send()), server: 'the same' }))
  const nodes = [twin('a liar'), twin('b liar'), ...honest(3)]
  const events: unknown[] = []
  for (let clients = 0; clients < 3; clients++) {
    const redlock = new Redlock({ nodes, onEvent: (event) => void events.push(event) })
    const lock = await redlock.acquire('key')
    await lock.extend()
    expect(await lock.fencingToken()).toBeGreaterThan(0)
    expect(await lock.release()).toBe('released')
  }
  expect(events).toContainEqual({
    kind: 'lock',
    type: 'duplicate-node',
    keys: ['key'],
    node: 'b liar',
    duplicateOf: 'a liar',
  })
})

it('a liar cannot raise the counters of the other nodes to the largest number', async () => {
  const nodes = [liar('a liar', Number.MAX_SAFE_INTEGER), ...honest(2)]
  const lock = await new Redlock({ nodes }).acquire('key')
  await lock.extend()
  await lock.release()
  const next = await new Redlock({ nodes: without(nodes, 'a liar') }).tryAcquire('key')
  expect(next).toMatchObject({ ok: true })
  const other = await new Redlock({ nodes: without(nodes, 'a liar') }).tryAcquire('other')
  expect(other).toMatchObject({ ok: true })
})
