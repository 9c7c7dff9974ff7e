import { sleep } from '../faults.ts'
import { describe, fails, none, ok, seconds, settle } from '../observation.ts'
import type { Behaviour } from './behaviour.ts'

// Ms for which the other client holds the lock.
const held = 3000

// Ms for which the waiter waits.
const limit = 10_000

// A waiter asks once, opens a stream, and joins a queue. It asks a few times more: while the stream opens, and
// in case a message was lost. A library that polls 5 times a second sends 15 commands.
const maxCommands = 10

// Ms from the release within which a waiter that is woken acquires the lock, also on a busy machine.
const maxDelay = 250

/** A release wakes the waiter, so that it need not ask again and again. */
export const wakeUp: Behaviour = {
  id: 'wake-up',
  title: 'A waiter gets the lock after its release without asking again and again',
  test: `Another client releases the lock ${held} ms after a waiter began to wait, with the retry delay of the library. At most ${maxCommands} commands to one node, and less than ${maxDelay} ms from the release to the lock.`,
  known: 'Redisson (Java), whose waiters subscribe to a message of the release.',
  run: async ({ open, nodes, key }) => {
    const holder = await open({ wait: limit })
    const hold = await holder.acquire([key])
    const session = await open({ retries: 200, wait: limit })
    for (const node of nodes) node.sent = 0
    const waiting = settle(session.acquire([key]), limit)
    await sleep(held)
    const sent = Math.max(...nodes.map((node) => node.sent))
    const released = performance.now()
    await hold.release()
    const outcome = await waiting
    const delay = performance.now() - released
    if (outcome.state !== 'resolved') return fails(describe(outcome))
    const rate = Math.round(sent / (held / 1000))
    if (sent > maxCommands) return none(`it polls: ${rate} commands a second to one node`)
    const saw = `${sent} commands to one node, and the lock ${seconds(delay)} after the release`
    return delay < maxDelay ? ok(saw) : none(`it polls: ${saw}`)
  },
}
