import { expect, it, vi } from 'vitest'
import { forget, once } from '../../src/entries/idempotency.ts'
import { isLockedError, isQuorumError, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { realNodes as real } from '../support/real-nodes.ts'

const keep = { keepFor: 60_000 }

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => expect.fail(`it resolved to ${String(value)}`),
    (error: unknown) => error,
  )

const counter = () => {
  let runs = 0
  return () => ++runs
}

it('gives up the value on every node, over real servers', async () => {
  const redlock = new Redlock({ nodes: real })
  const key = freshKey()
  const run = counter()
  // It is false where a node answers too late, as on a busy machine.
  const forgotten = (client: Redlock): Promise<void> =>
    eventually(async () => expect(await forget(client, key)).toBe(true))
  expect(await once(redlock, key, keep, run)).toBe(1)
  await forgotten(redlock)
  expect(await once(redlock, key, keep, run)).toBe(2)
  expect(await once(redlock, key, keep, run)).toBe(2)
  // Also for other clients, and one call after the other.
  await forgotten(new Redlock({ nodes: real }))
  expect(await once(redlock, key, keep, run)).toBe(3)
})

it('is a mark that calls wait for: those that do not wait get a LockedError', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const run = counter()
  await once(redlock, 'k', keep, run)
  await forget(redlock, 'k')
  for (const keepFor of [0, 1_000]) {
    const rejected = await rejection(once(redlock, 'k', { keepFor, wait: 0 }, run))
    expect(isLockedError(rejected)).toBe(true)
  }
  expect(await once(redlock, 'k', keep, run)).toBe(2)
})

it('of a key without a value is true', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  expect(await forget(redlock, 'k')).toBe(true)
  expect(await forget(redlock, 'k')).toBe(true)
  expect(await once(redlock, 'k', keep, () => 7)).toBe(7)
})

it('waits for a run, and gives up its value', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const { promise, resolve } = later()
  const run = vi.fn(() => promise)
  const first = once(redlock, 'k', keep, run)
  await eventually(() => expect(run).toHaveBeenCalled())
  for (const wait of [0, 100]) {
    expect(isLockedError(await rejection(forget(redlock, 'k', { wait })))).toBe(true)
  }
  const forgetting = forget(redlock, 'k')
  resolve()
  await first
  expect(await forgetting).toBe(true)
  expect(await once(redlock, 'k', keep, () => 'again')).toBe('again')
})

it('is false where a node is down, which may bring the value back', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes, warnings: false })
  const run = counter()
  await once(redlock, 'k', keep, run)
  nodes[2]!.fail()
  expect(await forget(redlock, 'k')).toBe(false)
  expect(await once(redlock, 'k', keep, run)).toBe(2)
  nodes[2]!.recover()
  // A call has run by then, so its value counts.
  for (const node of nodes) {
    node.fail()
    await eventually(async () => expect(await once(redlock, 'k', keep, run)).toBe(2))
    node.recover()
  }
})

it('throws a QuorumError where too few nodes answer, and the value stays', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes, warnings: false })
  const run = counter()
  await once(redlock, 'k', keep, run)
  nodes[0]!.fail()
  nodes[1]!.fail()
  for (const wait of [0, 100]) {
    expect(isQuorumError(await rejection(forget(redlock, 'k', { wait })))).toBe(true)
  }
  for (const node of nodes) node.recover()
  expect(await forget(redlock, 'k')).toBe(true)
  expect(await once(redlock, 'k', keep, run)).toBe(2)
})

it('is ended by its signal, before and while it waits', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes })
  const reason = new Error('no longer wanted')
  const run = counter()
  await once(redlock, 'k', keep, run)
  expect(await rejection(forget(redlock, 'k', { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(await once(redlock, 'k', keep, run)).toBe(1)
  const { promise, resolve } = later()
  const slow = vi.fn(() => promise)
  const first = once(redlock, 'l', keep, slow)
  await eventually(() => expect(slow).toHaveBeenCalled())
  const controller = new AbortController()
  const waiting = forget(redlock, 'l', { signal: controller.signal })
  controller.abort(reason)
  expect(await rejection(waiting)).toBe(reason)
  resolve()
  await first
})

it('a run whose value is given up meanwhile has it in a NotRecordedError', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const { promise, resolve } = later()
  const run = vi.fn(async () => {
    await promise
    return 'mine'
  })
  const first = rejection(once(redlock, 'k', { ...keep, ttl: 100, maxHold: 100 }, run))
  await eventually(() => expect(run).toHaveBeenCalled())
  // The claim expires, and the mark stands while the run ends.
  expect(await forget(redlock, 'k')).toBe(true)
  resolve()
  expect(await first).toMatchObject({ reason: 'lost', hasRun: true, value: 'mine' })
})

it.each([
  ['forget, while a call runs', 'a run'],
  ['once, over the mark of forget', 'a mark'],
])('sends no more requests than the budget: %s', async (_, obstacle) => {
  const servers = memoryNodes(3)
  const open = new Redlock({ nodes: servers })
  const { promise, resolve } = later()
  const run = vi.fn(() => promise)
  const first = once(open, 'k', keep, run)
  await eventually(() => expect(run).toHaveBeenCalled())
  if (obstacle === 'a mark') {
    resolve()
    await first
    await forget(open, 'k')
  }
  let requests = 0
  const nodes = servers.map((node) =>
    nodeThrough(node, (_, send) => {
      requests++
      return send()
    }),
  )
  const limited = new Redlock({ nodes, budget: 8 })
  const rejected = await rejection(
    obstacle === 'a run'
      ? forget(limited, 'k', { wait: 2_000 })
      : once(limited, 'k', { ...keep, wait: 2_000 }, () => expect.fail('it ran')),
  )
  expect(isLockedError(rejected)).toBe(true)
  resolve()
  await first
  expect(requests).toBeLessThanOrEqual(8)
})
