import { refuse, sleep } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, ok, settle } from '../observation.ts'
import { Declined } from '../contestants/contestant.ts'

const nameOf = async (error: unknown): Promise<string> =>
  error instanceof Declined ? 'false' : (error as Error).name

const reason: Behaviour = {
  id: 'reason',
  title: 'An outage differs from contention by a type or value',
  test: 'One acquire while another client holds the lock, one while every node refuses. Messages do not count.',
  known: 'mike-marcacci/node-redlock#284, #288.',
  run: async ({ contestant: { reasonOf = nameOf }, open, holdByOther, fail, key, freshKey }) => {
    await holdByOther()
    const session = await open()
    const contention = await settle(session.acquire([key]), 3000)
    fail(() => refuse)
    const outage = await settle(session.acquire([freshKey()]), 3000)
    if (contention.state !== 'rejected') return fails(`contention ${describe(contention)}`)
    if (outage.state !== 'rejected') return fails(`outage ${describe(outage)}`)
    const reasons = [await reasonOf(contention.error), await reasonOf(outage.error)]
    return reasons[0] === reasons[1]
      ? fails(`both times: ${reasons[0]}`)
      : ok(`contention: ${reasons[0]}; outage: ${reasons[1]}`)
  },
}

const expiredRelease: Behaviour = {
  id: 'expired-release',
  title: 'The release of an expired lock is a value, not an exception',
  test: 'ttl 300 ms, release after 500 ms.',
  known: 'mike-marcacci/node-redlock#145, #153, #168, #297, #309.',
  run: async ({ openHolder }) => {
    const { hold } = await openHolder({ ttl: 300 })
    await sleep(500)
    const outcome = await settle(hold.release(), 6000)
    return outcome.state === 'resolved'
      ? ok(`resolved to ${JSON.stringify(outcome.value) ?? 'undefined'}`)
      : fails(describe(outcome))
  },
}

export const rejectionBehaviours = { reason, expiredRelease }
