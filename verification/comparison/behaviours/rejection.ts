import { factsOf } from '../error-facts.ts'
import { refuse, sleep } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, none, ok, settle } from '../observation.ts'
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

const remaining: Behaviour = {
  id: 'remaining',
  title: "A rejection reports the holder's remaining time",
  test: 'Any number in the error that is within 100 ms of the ttl on the servers.',
  known: 'mike-marcacci/node-redlock#12, #79: a waiting client needs to know how long to wait.',
  run: async ({ open, holdByOther, ttls, key }) => {
    await holdByOther()
    const session = await open()
    await sleep(300)
    const outcome = await settle(session.acquire([key]), 3000)
    if (outcome.state !== 'rejected') return fails(describe(outcome))
    const [left] = await ttls()
    const facts = await factsOf(outcome.error)
    const fact = facts.find(
      ({ value }) => typeof value === 'number' && Math.abs(value - left!) < 100,
    )
    return fact ? ok(`as ${fact.path}`) : none('nothing in the error')
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

const metadata: Behaviour = {
  id: 'metadata',
  title: 'A rejection names the holder of the lock, without the secret',
  test: 'The holder passes its name to acquire; another client is refused.',
  known: 'bsm/redislock, whose locks have Metadata.',
  needs: ['metadata'],
  run: async ({ open, openOther, key }) => {
    const other = await openOther()
    const { secret } = await other.acquire([key], { metadata: 'worker-7' })
    const session = await open()
    const outcome = await settle(session.acquire([key]), 3000)
    if (outcome.state !== 'rejected') return fails(describe(outcome))
    const facts = await factsOf(outcome.error)
    if (facts.some(({ value }) => String(value).includes(secret!))) return fails('with the secret')
    const fact = facts.find(({ value }) => value === 'worker-7')
    return fact ? ok(`as ${fact.path}`) : fails('not in the error')
  },
}

export const rejectionBehaviours = { reason, remaining, expiredRelease, metadata }
