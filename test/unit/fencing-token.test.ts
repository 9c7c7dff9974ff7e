import type { Reply } from '../../src/protocol/reply.ts'
import { describe, expect, it, vi } from 'vitest'
import { isQuorumError, type NodeReport, Redlock } from '../../src/index.ts'
import { confirmedToken, highestCounter } from '../../src/core/quorum.ts'
import { memoryNode } from '../../src/entries/testing.ts'
import { type NodeFault, nodeThrough } from '../../tools/node-through.ts'
import { eventually } from '../support/eventually.ts'
import { later } from '../support/signals.ts'

const answer = (status: NodeReport['status'], fence?: number): NodeReport => ({
  node: 'n',
  status,
  fence,
})

describe('a token', () => {
  it('is the counter that a quorum reports with a grant', () => {
    const [seven, nine] = [answer('granted', 7), answer('granted', 9)]
    expect(confirmedToken([seven, nine, seven], 2)).toBe(7)
    expect(confirmedToken([nine, nine, seven], 2)).toBe(9)
    expect(confirmedToken([seven, nine, undefined], 2)).toBeUndefined()
    expect(confirmedToken([seven, answer('locked', 7), answer('absent', 7)], 2)).toBeUndefined()
    expect(confirmedToken([], 1)).toBeUndefined()
  })

  it('is raised to the highest counter that a node has reported', () => {
    const answers = [answer('granted', 7), undefined, answer('locked', 9), answer('timeout')]
    expect(highestCounter(answers, 0)).toBe(9)
    expect(highestCounter([], 0)).toBe(0)
  })

  it('is not confirmed by two answers of one database, even if one arrives late', async () => {
    const [one, two] = [memoryNode({ name: 'a' }), memoryNode({ name: 'c' })]
    const ahead = 2 * Date.now()
    one.entries.set('lock:f:key', { value: `${ahead} another`, expiresAt: Infinity })
    const { promise: opened, resolve: open } = later()
    const run = vi.fn<NodeFault>(async ({ operation }, send) => {
      if (operation === 'a') await opened
      return send()
    })
    const alias = { ...nodeThrough(one, run), name: 'b' }
    const lock = await new Redlock({ nodes: [one, alias, two], onEvent: () => {} }).acquire('key')
    open()
    await eventually(() => expect(run.mock.results.length).toBe(1))
    await run.mock.results[0]!.value
    // The first two nodes report the same counter, and the other server has not confirmed it.
    two.fail()
    await expect(lock.fencingToken()).rejects.toSatisfy(isQuorumError)
    await expect(lock.extend()).rejects.toSatisfy(isQuorumError)
    two.recover()
    expect(await lock.fencingToken()).toBe(ahead + 1)
    expect(await lock.release()).toBe('released')
  })

  it('is rejected if a node reports another counter each time', async () => {
    const [one, two, three] = [memoryNode(), memoryNode(), memoryNode()]
    let counter = Date.now()
    const run = vi.fn<NodeFault>(
      async (_, send) => ({ ...(await send()), counter: (counter += 1_000) }) as Reply,
    )
    three.fail()
    const redlock = new Redlock({ nodes: [one, nodeThrough(two, run), three], ttl: 60_000 })
    const lock = await redlock.acquire('key')
    await expect(lock.fencingToken()).rejects.toThrow('the lock on ["key"]')
    expect(run.mock.calls.length).toBeLessThan(20)
    expect(lock.held).toBe(true)
    expect(await lock.release()).toBe('released')
  })
})
