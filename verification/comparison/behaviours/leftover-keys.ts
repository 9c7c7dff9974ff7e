import { first, gate, loseReply, sleep, slowReply } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, ok, settle } from '../observation.ts'
import type { TestBed } from '../test-bed.ts'

// The time for background work after a call has settled, in ms.
const settlingTime = 400

/** The keys that are left after the background work, in words; false if there are none. */
const leftoverKeys = async ({ left, nodes }: TestBed, key?: string): Promise<string | false> => {
  await sleep(settlingTime)
  const count = await left(key)
  return count > 0 && `${count} of ${nodes.length} keys left`
}

const lostReplies: Behaviour = {
  id: 'orphans',
  title: 'A failed attempt whose replies were lost leaves no key behind',
  test: 'Each node executes the acquire, and its reply is lost; no retries, ttl 10 s.',
  known:
    'reading of redlock-universal (it releases only where the reply was OK) and of @upstash/lock.',
  run: async (bed) => {
    const outcome = await bed.acquireUnder(() => first(1, loseReply), { limit: 5000 })
    if (outcome.state === 'resolved') await outcome.value.release()
    const rest = await leftoverKeys(bed)
    return rest ? fails(rest) : ok('none left')
  },
}

const lateExecution: Behaviour = {
  id: 'late-execution',
  title: 'A grant that is executed after the attempt has failed leaves no key behind',
  test: 'Every acquire is delayed on its way until the attempt has failed. Over TCP later commands wait behind it; over HTTP they overtake it.',
  known: 'reading of go-redsync/redsync (FailFast): the release may arrive before the SET.',
  run: async (bed) => {
    const { fault, open } = gate()
    const outcome = await bed.acquireUnder(() => first(1, fault), { limit: 5000 })
    open()
    if (outcome.state !== 'rejected') return fails(describe(outcome))
    const rest = await leftoverKeys(bed)
    return rest ? fails(rest) : ok('none left')
  },
}

/** Aborts an acquire after `delay` ms. Resolves to the defects of its end, in words. */
const abortAcquire = async (bed: TestBed, key: string, delay: number): Promise<string | false> => {
  const session = await bed.open({ retries: 1000 })
  if (delay < 100) bed.fail(() => slowReply(400))
  const controller = new AbortController()
  const acquire = session.acquire([key], { signal: controller.signal })
  acquire.catch(() => {})
  await sleep(delay)
  controller.abort()
  const outcome = await settle(acquire, 1000)
  const isAtOnce = outcome.state === 'rejected' && outcome.time < 100
  if (isAtOnce) return false
  return outcome.state === 'resolved' ? 'it went on, and got the lock' : describe(outcome)
}

const abort: Behaviour = {
  id: 'abort',
  title: 'An aborted acquire settles at once and leaves no key behind',
  test: 'Once while it waits for another holder, once while granting replies are in flight.',
  known: 'mike-marcacci/node-redlock#309: an abort waits for a release.',
  needs: ['signal'],
  run: async (bed) => {
    const { held } = await bed.holdByOther()
    const waiting = await abortAcquire(bed, bed.key, 150)
    await held.release()
    const rest = await leftoverKeys(bed)
    if (waiting || rest) return fails(`while waiting: ${waiting || rest}`)
    const key = bed.freshKey()
    const inFlight = await abortAcquire(bed, key, 50)
    const orphans = await leftoverKeys(bed, key)
    return inFlight || orphans
      ? fails(`while waiting: at once; in flight: ${inFlight || orphans}`)
      : ok('at once, none left')
  },
}

export const leftoverBehaviours = { lostReplies, lateExecution, abort }
