import { describe, expect, it } from 'vitest'
import { quarantine, Redlock, throttle, withSlots } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

// A key of the library that holds a list, which only somebody else can have put there.

const nodes = realNodes.slice(0, 3)
const redlock = withSlots(new Redlock({ nodes, warnings: false }))
const window = 60_000

const onAll = (...words: string[]): Promise<unknown[]> =>
  Promise.all(nodes.map((node) => command(node, ...words)))

const calls = {
  'a lock': ['l:', '', (key: string) => redlock.tryAcquire(key)],
  'its fence': ['f:', '', (key: string) => redlock.tryAcquire(key)],
  'a throttle': ['t:', '', (key: string) => throttle(redlock, key, { window })],
  'a slot': ['l:', '#1', (key: string) => redlock.tryAcquire(key, { limit: 1 })],
  'the fence of a slot': ['f:', '#1', (key: string) => redlock.tryAcquire(key, { limit: 1 })],
} as const

describe('a key of another type', () => {
  it.each(Object.entries(calls))('is rejected as %s, and named', async (_, [kind, slot, call]) => {
    const key = freshKey()
    const name = `lock:${kind}${key}${slot}`
    await onAll('RPUSH', name, 'theirs')
    const result = await call(key)
    expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
    const errors = result.ok ? [] : result.nodes.map(({ error }) => error?.message)
    expect(errors).toContainEqual(expect.stringContaining(`WRONGTYPE ${name}`))
    expect(await onAll('LLEN', name)).toEqual([1, 1, 1])
  })

  it('leaves nothing of a lock on several keys', async () => {
    const [first, second] = [freshKey(), freshKey()].sort() as [string, string]
    await onAll('RPUSH', `lock:l:${second}`, 'theirs')
    expect(await redlock.tryAcquire([first, second])).toMatchObject({ reason: 'unavailable' })
    await eventually(async () =>
      expect(await onAll('EXISTS', `lock:l:${first}`)).toEqual([0, 0, 0]),
    )
  })

  it.each(['run', 'id'])('is rejected as `%s` of a volatile node', async (kind) => {
    const prefix = `${freshKey()}:`
    const name = prefix + kind
    await onAll('RPUSH', name, 'theirs')
    const own = nodes.map(({ url, token }) => ({ url, token, volatile: quarantine() }))
    const result = await new Redlock({ nodes: own, prefix, warnings: false }).tryAcquire('key')
    const errors = result.ok ? [] : result.nodes.map(({ error }) => error?.message)
    expect(errors).toContainEqual(expect.stringContaining(`WRONGTYPE ${name}`))
    expect(await onAll('LLEN', name)).toEqual([1, 1, 1])
  })

  it('is left alone by a release and by an extension', async () => {
    const key = freshKey()
    const lock = await redlock.acquire(key)
    await onAll('DEL', `lock:l:${key}`)
    await onAll('RPUSH', `lock:l:${key}`, 'theirs')
    await expect(lock.extend()).rejects.toThrow('Too few nodes')
    await lock.release()
    expect(await onAll('LLEN', `lock:l:${key}`)).toEqual([1, 1, 1])
  })
})
