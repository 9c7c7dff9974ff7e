import { refuse } from '../faults.ts'
import { describe, fails, ok, settle } from '../observation.ts'
import type { Behaviour } from './behaviour.ts'

const limit = 2

/** A limit of N allows at most N holders, no matter which nodes each client reaches. */
export const atMostLimit: Behaviour = {
  id: 'limit',
  title: 'A lock with a limit of 2 has two holders, and never three',
  test: 'Three clients acquire one after the other. Node 3 refuses the first client, node 1 the second, and node 2 the third. Three retries, ttl 10 s.',
  known:
    'reading of redis-semaphore: each node admits its own two, and six places are three majorities.',
  needs: ['several nodes', 'slots'],
  run: async ({ open, fail, key }) => {
    const outcomes: boolean[] = []
    for (const down of [2, 0, 1]) {
      const session = await open({ retries: 3 })
      fail(() => refuse, [down])
      const outcome = await settle(session.acquireSlot!(key, limit), 5000)
      fail(undefined)
      if (outcome.state === 'pending') return fails(describe(outcome))
      outcomes.push(outcome.state === 'resolved')
    }
    const holders = outcomes.filter(Boolean).length
    return holders === limit ? ok('2 holders') : fails(`${holders} holders`)
  },
}
