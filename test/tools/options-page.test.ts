import { Redis as Ioredis } from 'ioredis'
import { createClient } from 'redis'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
// The index of this entry imports what exists on workerd alone.
import { durableObjectNodes } from '../../src/durable-object/durable-object-nodes.ts'
import { withLock, withThrottle } from '../../src/fetch/index.ts'
import { gateway } from '../../src/gateway/index.ts'
import { sqlGuard } from '../../src/guards/index.ts'
import { lock, throttle } from '../../src/hono/index.ts'
import { forget, once } from '../../src/idempotency/index.ts'
import { ioredisNode, nodeRedisNode, Redlock, restNode, upstashNode } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/testing/index.ts'

// Each function lists its options in the error for one that it does not have. docs/options.md has to
// describe exactly these.

const page = await readFile('docs/options.md', 'utf8')

/** The options in the tables of a section. */
const described = (heading: string): string[] => {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))!
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!).sort()
}

const wrong = { nonsense: 1 } as never
const redlock = new Redlock({ nodes: memoryNodes(3) })
const io = new Ioredis({ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
const upstash = { eval: async () => null, evalsha: async () => null }
const required = { token: 'a', send: async () => null, transaction: async () => null }
const rest = { url: 'http://localhost', token: 'a' }

const sections: Record<string, readonly (() => unknown)[]> = {
  'new Redlock, Redlock.fromEnv': [() => new Redlock(wrong)],
  advanced: [() => new Redlock({ nodes: memoryNodes(3), advanced: wrong })],
  'tryAcquire, acquire, using': [
    () => redlock.tryAcquire('k', wrong),
    () => redlock.acquire('k', wrong),
    () => redlock.using('k', wrong, () => {}),
  ],
  throttle: [() => redlock.throttle('k', wrong)],
  'lock(), throttle(), withLock(), withThrottle()': [
    () => lock(wrong),
    () => throttle(wrong),
    () => withLock(wrong, () => new Response()),
    () => withThrottle(wrong, () => new Response()),
  ],
  'once, forget': [() => once(redlock, 'k', wrong, () => {}), () => forget(redlock, 'k', wrong)],
  Nodes: [
    () => restNode({ ...rest, ...(wrong as object) }),
    () => upstashNode(upstash, wrong),
    () => ioredisNode(io, wrong),
    () => nodeRedisNode(createClient(), wrong),
  ],
  'durableObjectNodes()': [
    () => durableObjectNodes({ idFromName: () => ({}), get: () => ({}) }, wrong),
  ],
  'gateway()': [() => gateway({ ...required, ...(wrong as object) })],
  'memoryNode, memoryNodes': [() => memoryNode(wrong)],
}

const messageOf = async (call: () => unknown): Promise<string> => {
  try {
    await call()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('The call accepted an unknown option')
}

it.each(Object.entries(sections))('describes the options of %s', async (heading, calls) => {
  const names = new Set<string>()
  for (const call of calls) {
    const message = await messageOf(call)
    expect(message).toMatch(/^Unknown option `nonsense`/)
    for (const name of message.replace(/^.*:(?: it has)? /, '').split(', ')) names.add(name)
  }
  expect(described(heading)).toEqual([...names].sort())
})

it('describes the options of the guards', async () => {
  const names = (await messageOf(() => sqlGuard(wrong))).replace(/^.*: /, '').split(', ')
  expect(described('Guards')).toEqual(expect.arrayContaining(names))
  expect(described('Guards')).toEqual(['dialect', 'guard', 'resource', 'table'])
})
