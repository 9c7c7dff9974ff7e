import { refuse, sleep } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, ok, settle } from '../observation.ts'
import { unhandled } from '../unhandled.ts'

const failingExtension: Behaviour = {
  id: 'unhandled',
  title: 'No unhandled rejection while automatic extension fails',
  test: 'ttl 1 s, every command is refused for 1.4 s while the routine runs.',
  known:
    'swarthy/redis-semaphore#24. Its RedlockMutex gets an onLockLost here; without one it throws.',
  needs: ['extends itself'],
  run: async ({ open, fail, key }) => {
    const session = await open({ ttl: 1000, retries: 3 })
    const before = unhandled()
    const run = session.run!(key, async () => {
      fail(() => refuse)
      await sleep(1400)
      fail(undefined)
    })
    await settle(run, 6000)
    await sleep(100)
    const count = unhandled() - before
    return count === 0 ? ok('none') : fails(`${count} of them`)
  },
}

// Far more than an extension at every third of the TTL needs, including retries and reads.
const maxCommands = 40

const rounded = (count: number): string =>
  count < 100
    ? `up to ${Math.ceil(count / 20) * 20}`
    : `about ${Number(count.toPrecision(1)).toLocaleString('en')}`

const hotLoop: Behaviour = {
  id: 'hot-loop',
  title: 'No hot loop in automatic extension at a short ttl',
  test: `ttl 300 ms, the routine runs for 1 s: at most ${maxCommands} commands to one node in that time.`,
  known: 'reading of redlock-universal: at a ttl below 1.25 s it extends without pausing.',
  needs: ['extends itself'],
  run: async ({ open, nodes, key }) => {
    const session = await open({ ttl: 300 })
    let count = 0
    const run = session.run!(key, async () => {
      const before = nodes[0]!.sent
      await sleep(1000)
      count = nodes[0]!.sent - before
    })
    const outcome = await settle(run, 5000)
    if (outcome.state !== 'resolved') return fails(describe(outcome))
    const saw = `${rounded(count)} commands to one node in 1 s`
    return count <= maxCommands ? ok(saw) : fails(saw)
  },
}

const ownError: Behaviour = {
  id: 'own-error',
  title: "The routine's own error is not masked when the release fails",
  test: 'The routine throws, and the release is refused by every node.',
  known: 'mike-marcacci/node-redlock#309, #369.',
  needs: ['run'],
  run: async ({ open, fail, key }) => {
    const session = await open()
    const run = session.run!(key, async () => {
      fail(() => refuse)
      throw new RangeError('of the routine')
    })
    const outcome = await settle(run, 5000)
    return outcome.state === 'rejected' && outcome.error instanceof RangeError
      ? ok('thrown as it was')
      : fails(`instead: ${describe(outcome)}`)
  },
}

export const extensionBehaviours = { failingExtension, hotLoop, ownError }
