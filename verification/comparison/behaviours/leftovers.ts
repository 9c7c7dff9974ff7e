import { first, gate, loseReply, sleep, slowReply } from '../faults.ts'
import { type Behaviour, describe, fails, ok, settle } from '../observation.ts'
import type { Stage } from '../stage.ts'

// For work that goes on in the background after a call has settled.
const aWhile = 400

const leftAfterAWhile = async ({ left, nodes }: Stage, key?: string): Promise<string | false> => {
  await sleep(aWhile)
  const count = await left(key)
  return count > 0 && `${count} of ${nodes.length} keys left`
}

const lostReplies: Behaviour = {
  id: 'orphans',
  title: 'A failed attempt whose replies were lost leaves no key behind',
  test: 'Each node executes the acquire, and its reply is lost; no retries, ttl 10 s.',
  known: 'reading of redlock-universal (it releases where it was told OK) and of @upstash/lock.',
  run: async (stage) => {
    const session = await stage.open()
    stage.fail(() => first(1, loseReply))
    const outcome = await settle(session.acquire([stage.key]), 5000)
    if (outcome.state === 'resolved') await outcome.value.release()
    const rest = await leftAfterAWhile(stage)
    return rest ? fails(rest) : ok('none left')
  },
}

const lateExecution: Behaviour = {
  id: 'late-execution',
  title: 'A grant that is executed after the attempt has failed leaves no key behind',
  test: 'Every acquire is held back on its way until the attempt has failed. Over TCP what is sent later waits behind it; over HTTP it overtakes.',
  known: 'go-redsync/redsync (FailFast), by reading: the release may come before the SET.',
  run: async (stage) => {
    const session = await stage.open()
    const { fault, open } = gate()
    stage.fail(() => first(1, fault))
    const outcome = await settle(session.acquire([stage.key]), 5000)
    open()
    if (outcome.state !== 'rejected') return fails(describe(outcome))
    const rest = await leftAfterAWhile(stage)
    return rest ? fails(rest) : ok('none left')
  },
}

/** Aborts an acquire after `delay` ms, and says what was wrong with how it ended. */
const abortOf = async (stage: Stage, key: string, delay: number): Promise<string | false> => {
  const session = await stage.open({ retries: 1000 })
  if (delay < 100) stage.fail(() => slowReply(400))
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
  title: 'The abort of an acquire settles at once and leaves no key behind',
  test: 'Once while it waits for another holder, once while replies that grant it are on their way.',
  known: 'mike-marcacci/node-redlock#309 for the release that an abort waits for.',
  needs: ['signal'],
  run: async (stage) => {
    const other = await stage.openOther()
    const held = await other.acquire([stage.key])
    const waiting = await abortOf(stage, stage.key, 150)
    await held.release()
    const rest = await leftAfterAWhile(stage)
    if (waiting || rest) return fails(`while waiting: ${waiting || rest}`)
    const key = stage.freshKey()
    const inFlight = await abortOf(stage, key, 50)
    const orphans = await leftAfterAWhile(stage, key)
    return inFlight || orphans
      ? fails(`while waiting: at once; in flight: ${inFlight || orphans}`)
      : ok('at once, none left')
  },
}

export const leaving = { lostReplies, lateExecution, abort }
