import { first, lastNode, loseReply, sleep, slowReply } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, ok, settle } from '../observation.ts'

const lateGrant: Behaviour = {
  id: 'late-grant',
  title: 'A lock that took longer than its ttl is not returned',
  test: 'ttl 200 ms, every reply takes 300 ms.',
  known: 'mike-marcacci/node-redlock#296; the algorithm asks for it.',
  run: async ({ acquireUnder }) => {
    const outcome = await acquireUnder(() => slowReply(300), { ttl: 200, limit: 3000 })
    if (outcome.state === 'rejected') return ok('refused')
    if (outcome.state === 'pending') return fails(describe(outcome))
    const left = outcome.value.left?.()
    return fails(
      left === undefined
        ? 'returned, when the key had expired on every node'
        : 'returned, its expiration in the past',
    )
  },
}

const tie: Behaviour = {
  id: 'tie',
  title: 'An even number of nodes settles a 1-1 tie',
  test: 'Two nodes, one of which another client holds; no retries.',
  known: 'reading of redlock 5: it waits for a quorum for or against, and gets neither.',
  needs: ['several nodes'],
  run: async ({ open, holdByOther, nodes, key }) => {
    const session = await open({ nodes: nodes.slice(0, 2) })
    await holdByOther([1])
    const outcome = await settle(session.acquire([key]), 1500)
    return outcome.state === 'rejected' ? ok('refused') : fails(describe(outcome))
  },
}

const selfCollision: Behaviour = {
  id: 'self-collision',
  title: 'A free lock whose replies were all lost once is acquired by a retry',
  test: 'Each node executes the first acquire, and its reply is lost. Three retries, ttl 10 s.',
  known: 'mike-marcacci/node-redlock#369; upstash/redis-js#1455 for a client that repeats SET NX.',
  run: async ({ acquireUnder }) => {
    const outcome = await acquireUnder(() => first(1, loseReply), { retries: 3, limit: 5000 })
    return outcome.state === 'resolved' ? ok('acquired') : fails(describe(outcome))
  },
}

const secondAcquire: Behaviour = {
  id: 'second-acquire',
  title: 'A second acquire of a held lock is refused, and the first one stands',
  test: 'Same instance, same key, two retries; then the first holder releases.',
  known: 'swarthy/redis-semaphore#175, of its single mutex.',
  run: async ({ openHolder, nodes, left, key }) => {
    const { session, hold } = await openHolder({ retries: 2 })
    await lastNode()
    const outcome = await settle(session.acquire([key]), 3000)
    if (outcome.state !== 'rejected')
      return fails(outcome.state === 'resolved' ? 'granted twice' : describe(outcome))
    const keys = await left()
    if (keys < nodes.length) return fails(`refused, with ${keys} of ${nodes.length} keys left`)
    await settle(hold.release(), 3000)
    await lastNode()
    const rest = await left()
    return rest === 0
      ? ok('refused')
      : fails('refused, and the first holder cannot release any more')
  },
}

const quorum: Behaviour = {
  id: 'quorum',
  title: 'A quorum below the majority is refused',
  test: 'A quorum of 1 among three nodes.',
  known: 'reading of redlock-universal: any quorum from 1 on is accepted.',
  needs: ['several nodes', 'quorum'],
  run: async ({ open }) => {
    const outcome = await settle(open({ quorum: 1, isWarm: false }), 3000)
    return outcome.state === 'rejected' ? ok('refused') : fails('1 of 3 accepted')
  },
}

const severalKeys: Behaviour = {
  id: 'several-keys',
  title: 'Several keys at once: all or nothing',
  test: 'Two keys, one of which another client holds; then both free.',
  known: 'the README of node-redlock, which has this feature.',
  needs: ['several nodes', 'several keys'],
  run: async ({ open, holdByOther, left, nodes, key, freshKey }) => {
    const free = freshKey()
    const session = await open()
    const { held } = await holdByOther()
    const refused = await settle(session.acquire([free, key]), 3000)
    if (refused.state !== 'rejected') return fails(describe(refused))
    await sleep(300)
    if ((await left(free)) > 0) return fails('refused, and the free key stays locked')
    await held.release()
    const granted = await settle(session.acquire([free, key]), 3000)
    await lastNode()
    const both = (await left(free)) + (await left())
    return granted.state === 'resolved' && both === 2 * nodes.length
      ? ok('none, then both')
      : fails(describe(granted))
  },
}

export const acquireBehaviours = {
  lateGrant,
  tie,
  selfCollision,
  secondAcquire,
  quorum,
  severalKeys,
}
