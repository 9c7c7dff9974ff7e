import { describe, expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { systemClock } from '../../src/util/clock.ts'
import { eventually } from '../support/eventually.ts'

/** Three nodes of which the last was a rival's when the lock was acquired. The first can be cut off. */
const afterBurst = async () => {
  const nodes = memoryNodes(3)
  const key = 'lock:l:key'
  const rival = await new Redlock({ nodes: [nodes[2]!] }).acquire('key')
  let isCutOff = false
  const first = nodeThrough(nodes[0]!, (_, send) =>
    isCutOff ? Promise.reject(new Error('cut off')) : send(),
  )
  const redlock = new Redlock({ nodes: [first, nodes[1]!, nodes[2]!] })
  const lock = await redlock.acquire('key')
  await rival.release()
  const holderOfLast = () => nodes[2]!.entries.get(key)?.value
  return { nodes, lock, redlock, holderOfLast, cutOff: () => (isCutOff = true) }
}

describe('a node that a rival had when the lock was acquired', () => {
  it('is acquired with the next extension, and then makes up for a node that fails', async () => {
    const { lock, holderOfLast, cutOff } = await afterBurst()
    expect(holderOfLast()).toBeUndefined()
    await lock.extend()
    await eventually(() => expect(holderOfLast()).toBe(lock.value))
    cutOff()
    await lock.extend()
    expect(lock.held).toBe(true)
    await expect(lock.release()).resolves.toBe('released')
    await eventually(() => expect(holderOfLast()).toBeUndefined())
  })

  it('does not raise the counters of the others, above which a record would be rejected', async () => {
    const { lock, nodes, holderOfLast } = await afterBurst()
    const counterOf = (index: number): number =>
      Number.parseInt(nodes[index]!.entries.get('lock:f:key')!.value, 10)
    const ahead = Date.now() + 1e9
    nodes[2]!.entries.set('lock:f:key', { value: `${ahead} rival`, expiresAt: Infinity })
    const token = await lock.fencingToken()
    await lock.extend()
    await eventually(() => expect(holderOfLast()).toBe(lock.value))
    for (let turn = 0; turn < 3; turn++) await lock.extend()
    expect([0, 1].map(counterOf)).toEqual([token, token])
    expect(counterOf(2)).toBeGreaterThan(ahead)
  })

  it('does not change the token', async () => {
    const { lock } = await afterBurst()
    const token = await lock.fencingToken()
    await lock.extend()
    await lock.extend()
    expect(await lock.fencingToken()).toBe(token)
  })

  it('is left alone once the lock is released', async () => {
    const { lock, nodes, holderOfLast } = await afterBurst()
    const extending = lock.extend()
    await lock.release()
    await extending.catch(() => {})
    await eventually(() => {
      for (const { entries } of nodes) expect(entries.get('lock:l:key')).toBeUndefined()
    })
    expect(holderOfLast()).toBeUndefined()
  })

  it('begins at the time of the client where its counter has expired and it forbids TIME', async () => {
    let passed = 0
    const now = (): number => Date.now() + passed
    const clock = { ...systemClock, wall: now, monotonic: () => performance.now() + passed }
    const nodes = [0, 1, 2].map(() => memoryNode({ now, rejects: ['TIME'] }))
    const rival = await new Redlock({ nodes: [nodes[2]!], advanced: { clock } }).acquire('key')
    const lock = await new Redlock({ nodes, advanced: { clock } }).acquire('key', { ttl: 60_000 })
    await rival.release()
    nodes[2]!.entries.delete('lock:f:key')
    passed = 10_000
    await lock.extend()
    const counterOfLast = () => parseInt(nodes[2]!.entries.get('lock:f:key')?.value ?? '0')
    await eventually(() => expect(counterOfLast()).toBeGreaterThanOrEqual(Date.now() + 9_000))
  })
})
