import { inspect, throttle } from '../../src/index.ts'
import { describe, expect } from 'vitest'
import {
  checkRejection,
  checkReports,
  checkTime,
  expectQuorum,
  isGrant,
  type Operation,
} from './outcomes.ts'
import { replies } from './replies.ts'

/** Calls of a user. `turn` makes the nodes hostile. Each fails unless the votes confirm its result. */
const operations: Readonly<Record<string, Operation>> = {
  acquire: async ({ redlock, votes }, turn) => {
    turn()
    const result = await redlock.tryAcquire(['key', 'other'])
    if (!result.ok) {
      checkRejection(result)
      // With two nodes that send no valid reply, the result is an outage.
      if (result.reason === 'locked') expectQuorum(votes, ({ operation }) => operation === 'a')
      return result.reason === 'locked' ? 'no' : 'unknown'
    }
    const { value } = result.lock
    expectQuorum(votes, (vote) => isGrant(vote) && vote.operation === 'a' && vote.owner === value)
    return 'yes'
  },
  inspect: async (world, turn) => {
    await world.redlock.acquire('key', { metadata: 'worker 3' })
    turn()
    const before = world.votes.length
    const { state, ttl, metadata, nodes } = await inspect(world.redlock, 'key')
    const votes = world.votes.slice(before)
    checkReports(nodes)
    // Foreign data may never expire.
    if (state !== 'foreign' || ttl !== Infinity) checkTime(ttl)
    if (state === 'unavailable') return 'unknown'
    expectQuorum(votes, () => true)
    if (state === 'free') return 'no'
    const holders = votes.map(({ holder }) => holder)
    expect(holders.some((one) => holders.filter((other) => one && other === one).length > 1)).toBe(
      true,
    )
    if (metadata !== undefined) expect(typeof metadata).toBe('string')
    return 'yes'
  },
  throttle: async ({ redlock, votes }, turn) => {
    turn()
    const result = await throttle(redlock, 'key', { window: 30_000 })
    if (result.ok) {
      expectQuorum(votes, (vote) => isGrant(vote) && vote.operation === 'a')
      return 'yes'
    }
    checkRejection(result)
    if (result.reason === 'locked') expectQuorum(votes, ({ operation }) => operation === 'a')
    return result.reason === 'locked' ? 'no' : 'unknown'
  },
}

describe('with two of three nodes hostile', () => {
  replies(operations)
})
