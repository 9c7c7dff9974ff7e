import { trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import type { Command } from '../../src/entries/custom-node.ts'
import {
  forceRelease,
  type LockNode,
  Redlock,
  restNode,
  throttle,
  withKeyLocking,
  withSlots,
  withTracing,
  withWakeUp,
} from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'
import { longTtl, never, untilQueued } from '../wake-up/waiters.ts'

// A user may wrap a node by a spread, to count or to delay its commands. Whatever else the node can do goes on.

const nodes = realNodes.slice(0, 3)

/** The commands that went through a node, by their names. */
const wrapped = (): { nodes: LockNode[]; seen: string[] } => {
  const seen: string[] = []
  const all = nodes.map((options) => {
    const node = restNode(options)
    return {
      ...node,
      run: (...[command, ...rest]: Parameters<LockNode['run']>) => {
        seen.push(command.op)
        return node.run(command, ...rest)
      },
    }
  })
  return { nodes: all, seen }
}

it('withWakeUp wakes a waiter', async () => {
  const key = freshKey()
  const one = wrapped()
  const client = withWakeUp(new Redlock({ nodes: one.nodes, retry: never }))
  const held = await client.acquire(key, { ttl: longTtl })
  const waiting = client.acquire(key, { wait: 50_000 })
  await untilQueued(nodes, key, 1)
  await held.release()
  expect((await waiting).held).toBe(true)
  expect(new Set(one.seen)).toEqual(new Set(['acquire', 'join', 'release']))
})

/** Nodes whose commands are handed on in a way that a user may choose. */
const handingOn = (copy: (command: Command) => Command): LockNode[] =>
  nodes.map((options) => {
    const node = restNode(options)
    const { run: runThere } = node
    const run: LockNode['run'] = (command, { signal, serverId, onResend, guard }) =>
      runThere(copy(command), { signal, serverId, onResend, guard })
    return Object.assign(node, { run })
  })

it.each<[string, (command: Command) => Command]>([
  ['as it is', (command) => command],
  ['as a spread', (command) => ({ ...command })],
])('a node that hands on each option and the command %s runs every command', async (_, copy) => {
  const key = freshKey()
  const client = withSlots(new Redlock({ nodes: handingOn(copy) }))
  let runs = 0
  for (let turn = 0; turn < 2; turn++)
    expect(await once(client, key, { keepFor: 60_000 }, () => ++runs)).toBe(1)
  const [one, two] = [
    await client.acquire(key, { limit: 2 }),
    await client.acquire(key, { limit: 2 }),
  ]
  expect([one, two].flatMap(({ keys }) => keys).sort()).toEqual([`${key}#1`, `${key}#2`])
  expect(await forceRelease(client, `${key}#1`)).toMatchObject({ state: 'released' })
})

it('a node that makes another command says so, and nothing runs', async () => {
  const key = freshKey()
  const client = withSlots(
    new Redlock({ nodes: handingOn((command) => structuredClone(command)), warnings: false }),
  )
  const result = await client.tryAcquire(key, { limit: 2 })
  expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
  expect(!result.ok && result.nodes[0]!.error!.message).toBe(
    'acquire-slot: a node must pass on the command itself',
  )
})

it('withKeyLocking says that it would lose what wraps the node', () => {
  expect(() => withKeyLocking(wrapped().nodes[0]!)).toThrow(
    '`node` must be an unwrapped node of a Redis server',
  )
})

it('withSlots grants each slot once', async () => {
  const key = freshKey()
  const { nodes: all, seen } = wrapped()
  const client = withSlots(new Redlock({ nodes: all }))
  const [one, two] = [
    await client.acquire(key, { limit: 2 }),
    await client.acquire(key, { limit: 2 }),
  ]
  expect([one, two].flatMap(({ keys }) => keys).sort()).toEqual([`${key}#1`, `${key}#2`])
  expect(await client.tryAcquire(key, { limit: 2 })).toMatchObject({ ok: false, reason: 'locked' })
  expect(await throttle(client, key, { window: 60_000, limit: 1 })).toMatchObject({ ok: true })
  expect(seen).toContain('acquire-slot')
})

it('withTracing makes a span of each call', async () => {
  const key = freshKey()
  const names: string[] = []
  const tracer = trace.getTracer('test')
  const watching = {
    startActiveSpan: (...given: Parameters<typeof tracer.startActiveSpan>) => {
      names.push(given[0])
      return (tracer.startActiveSpan as (...all: unknown[]) => unknown)(...given)
    },
  } as unknown as typeof tracer
  const { nodes: all, seen } = wrapped()
  const client = withTracing(new Redlock({ nodes: all }), { tracer: watching })
  await (await client.acquire(key)).release()
  expect(names.length).toBeGreaterThan(0)
  expect(seen.filter((op) => op === 'acquire')).toHaveLength(3)
})
