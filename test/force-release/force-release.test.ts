import { expect, it } from 'vitest'
import {
  forceRelease,
  inspect,
  isLockLostError,
  isQuorumError,
  type Lock,
  quarantine,
  Redlock,
  restNode,
  type RestNodeOptions,
  withWakeUp,
} from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { realNodes } from '../support/real-nodes.ts'

// Over real servers. The holder is a client of its own.

const servers = realNodes.slice(0, 3)
const down = (node: RestNodeOptions): RestNodeOptions => ({
  ...node,
  name: node.url,
  url: 'http://127.0.0.1:1',
})
const [holder, operator] = [new Redlock({ nodes: servers }), new Redlock({ nodes: servers })]
const ttl = 30_000

it('frees a lock, whose holder learns why at its next extension', async () => {
  const key = freshKey()
  const lock = await holder.acquire(key, { ttl })
  const { signal } = lock
  expect(await forceRelease(operator, key)).toMatchObject({ state: 'released' })
  expect(await inspect(operator, key)).toMatchObject({ state: 'free' })
  const error = await lock.extend().catch((reason: unknown) => reason)
  expect(isLockLostError(error) && error.message).toContain('it was released by force')
  expect(signal.reason).toBe(error)
  expect(await lock.release()).toBe('expired')
})

it('aborts the signal of a lock that is kept alive', async () => {
  const key = freshKey()
  const begun = later()
  const held = holder.using(key, { ttl: 900 }, async ({ signal }) => {
    begun.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const outcome = held.catch(String)
  await begun.promise
  await forceRelease(operator, key)
  expect(await outcome).toContain('it was released by force')
})

it('gives the next holder a higher token', async () => {
  const key = freshKey()
  const lock = await holder.acquire(key, { ttl })
  const token = await lock.fencingToken()
  await forceRelease(operator, key)
  const next = await operator.acquire(key, { ttl })
  expect(await next.fencingToken()).toBeGreaterThan(token)
  await next.release()
})

it('releases only the holder with the given id', async () => {
  const key = freshKey()
  const old = await holder.acquire(key, { ttl })
  await old.release()
  const lock = await holder.acquire(key, { ttl })
  expect(await forceRelease(operator, key, { id: old.id })).toMatchObject({ state: 'kept' })
  const { nodes } = await inspect(operator, key)
  expect(nodes.map((node) => node.holder)).toEqual([lock.id, lock.id, lock.id])
  await lock.extend()
  expect(await forceRelease(operator, key, { id: lock.id })).toMatchObject({ state: 'released' })
  expect(await forceRelease(operator, key, { id: lock.id })).toMatchObject({ state: 'free' })
})

it('is not undone by an extension that was under way', async () => {
  const key = freshKey()
  const gates = servers.map(() => later())
  let isHeldBack = false
  const nodes = servers.map((server, index) =>
    nodeThrough(restNode(server), async (_, send) => {
      if (isHeldBack) await gates[index]!.promise
      return send()
    }),
  )
  const lock = await new Redlock({ nodes }).acquire(key, { ttl })
  isHeldBack = true
  const extension = lock.extend(2 * ttl).catch((reason: unknown) => reason)
  await forceRelease(operator, key)
  for (const { resolve } of gates) resolve()
  expect(isLockLostError(await extension)).toBe(true)
  expect(await inspect(operator, key)).toMatchObject({ state: 'free' })
})

it('frees some keys of a lock, which is then lost', async () => {
  const keys = [freshKey(), freshKey()]
  const lock = await holder.acquire(keys, { ttl })
  await forceRelease(operator, keys[0]!, { id: lock.id })
  expect(isLockLostError(await lock.extend().catch((reason: unknown) => reason))).toBe(true)
  await lock.release()
  await eventually(async () =>
    expect(await inspect(operator, keys)).toMatchObject({ state: 'free' }),
  )
})

it('needs a majority of the nodes, which is enough', async () => {
  const key = freshKey()
  const lock = await holder.acquire(key, { ttl })
  const [one, two, three] = servers
  const blind = new Redlock({ nodes: [down(one!), down(two!), three!], warnings: false })
  const { id } = lock
  const error = await forceRelease(blind, key, { id }).catch((reason: unknown) => reason)
  expect(isQuorumError(error) && error.nodes.map(({ status }) => status).sort()).toEqual([
    'error',
    'error',
    'forgotten',
  ])
  const partial = new Redlock({ nodes: [down(one!), two!, three!], warnings: false })
  expect(await forceRelease(partial, key)).toMatchObject({ state: 'released' })
  expect(isLockLostError(await lock.extend().catch((reason: unknown) => reason))).toBe(true)
  await lock.release()
})

it('works on volatile nodes, with clients that wake waiters', async () => {
  const key = freshKey()
  const nodes = servers.map(({ url, token }): RestNodeOptions => {
    return { url, token, volatile: quarantine({ withoutRunId: true }) }
  })
  const redlock = withWakeUp(new Redlock({ nodes, prefix: `${key}:` }))
  // The servers are new for this prefix, and do not vote yet.
  expect(await forceRelease(redlock, key, { id: '1f0c7a52' })).toMatchObject({ state: 'free' })
})

it.each([
  [['k', { id: 'short' }], 'id'],
  [['k', { holder: '12345678' }], 'Unknown option `holder`'],
  [['', {}], 'key'],
])('rejects %o', async (args, message) => {
  const call = forceRelease(operator, ...(args as [string, object]))
  await expect(call).rejects.toThrow(message)
})

it('frees several keys, each of which has another holder', async () => {
  const keys = [freshKey(), freshKey()]
  const locks = await Promise.all(keys.map((key) => holder.acquire(key, { ttl: 60_000 })))
  expect(await forceRelease(operator, keys)).toMatchObject({ state: 'released' })
  for (const key of keys) expect(await inspect(operator, key)).toMatchObject({ state: 'free' })
  for (const lock of locks) await expect(lock.extend()).rejects.toThrow('Lost the lock')
})

it('forgets what a loser has left on one node, and says that the lock stays', async () => {
  const key = freshKey()
  const [first, ...others] = servers
  const left = await new Redlock({ nodes: [first!] }).acquire(key, { ttl: 60_000 })
  const held = await new Redlock({ nodes: others, warnings: false }).acquire(key, { ttl: 60_000 })
  expect(await forceRelease(operator, key, { id: left.id })).toMatchObject({ state: 'kept' })
  expect(await inspect(operator, key)).toMatchObject({ state: 'locked', holder: held.id })
  await held.release()
})

it('leaves the lock to whoever acquires it right after', async () => {
  const key = freshKey()
  await holder.acquire(key, { ttl })
  let next: Promise<Lock> | undefined
  let isForgotten = false
  // Whatever the operator asks once the holder is forgotten comes after the next client.
  const late = servers.map((server) =>
    nodeThrough(restNode(server), async (_, send) => {
      if (isForgotten) await (next ??= holder.acquire(key, { ttl }))
      const reply = await send()
      isForgotten ||= (await inspect(holder, key)).state === 'free'
      return reply
    }),
  )
  expect(await forceRelease(new Redlock({ nodes: late }), key)).toMatchObject({ state: 'released' })
  const lock = await (next ?? holder.acquire(key, { ttl }))
  await lock.extend()
  expect(await lock.release()).toBe('released')
})
