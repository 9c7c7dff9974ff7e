import { describe, expect } from 'vitest'
import {
  adopt,
  isLockLostError,
  isQuorumError,
  type Lock,
  serialize,
  ttlOf,
} from '../../src/index.ts'
import type { Vote } from './judge.ts'
import {
  checkRejection,
  checkTime,
  expectQuorum,
  isGrant,
  type Operation,
  type Outcome,
} from './outcomes.ts'
import { replies } from './replies.ts'
import type { World } from './world.ts'

const isDenial = ({ status }: Vote): boolean => status === 'locked' || status === 'absent'

/** Checks a failure of a lock, which is lost only if a quorum denies it. */
const failed = (error: unknown, votes: readonly Vote[], lock: Lock): Outcome => {
  if (isLockLostError(error)) {
    expectQuorum(votes, isDenial)
    expect(lock.held).toBe(false)
    return 'no'
  }
  if (!isQuorumError(error)) throw error
  checkRejection(error)
  expect(lock.held).toBe(true)
  return 'unknown'
}

/** A held lock, adopted by a client that has not asked the nodes yet. */
const adopted = async (world: World): Promise<Lock> => {
  const lock = await world.redlock.acquire('key')
  return adopt(world.redlock, JSON.stringify(serialize(lock)))
}

/** Calls of a holder. `turn` makes the nodes hostile. Each fails unless the votes confirm its result. */
const operations: Readonly<Record<string, Operation>> = {
  extend: async (world, turn) => {
    const lock = await adopted(world)
    turn()
    const before = world.votes.length
    const error: unknown = await lock.extend().catch((reason: unknown) => reason)
    const votes = world.votes.slice(before)
    if (error) return failed(error, votes, lock)
    expectQuorum(votes, isGrant)
    return 'yes'
  },
  fence: async (world, turn) => {
    const lock = await adopted(world)
    turn()
    const before = world.votes.length
    const token = await lock.fencingToken().catch((reason: unknown) => reason)
    const votes = world.votes.slice(before)
    if (typeof token !== 'number') return failed(token, votes, lock)
    expectQuorum(votes, (vote) => isGrant(vote) && vote.fence === token)
    return 'yes'
  },
  ttl: async (world, turn) => {
    const lock = await adopted(world)
    turn()
    const before = world.votes.length
    const ttl = await ttlOf(lock).catch((reason: unknown) => reason)
    const votes = world.votes.slice(before)
    if (typeof ttl !== 'number') return failed(ttl, votes, lock)
    checkTime(ttl)
    if (ttl > 0) expectQuorum(votes, isGrant)
    else expectQuorum(votes, () => true)
    return ttl > 0 ? 'yes' : 'no'
  },
  release: async (world, turn) => {
    const lock = await adopted(world)
    turn()
    const before = world.votes.length
    const result = await lock.release()
    const votes = world.votes.slice(before)
    if (result === 'released') expectQuorum(votes, isGrant)
    if (result === 'expired') expectQuorum(votes, isDenial)
    return result === 'released' ? 'yes' : result === 'expired' ? 'no' : 'unknown'
  },
}

describe('with two of three nodes hostile', () => {
  replies(operations)
})
