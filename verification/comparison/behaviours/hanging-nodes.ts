import { hang, sleep } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, ok, seconds, settle } from '../observation.ts'

const hungNode: Behaviour = {
  id: 'hung-node',
  title: 'One hung node of three: acquire settles within 1 s',
  test: 'One node never answers; the lock is free.',
  known: 'the algorithm: the timeout of one node is to be small against the ttl.',
  needs: ['several nodes'],
  hangs: true,
  run: async ({ acquireUnder }) => {
    const outcome = await acquireUnder(() => hang, { limit: 1000, indexes: [0] })
    return outcome.state === 'resolved'
      ? ok(`acquired after ${seconds(outcome.time)}`)
      : fails(describe(outcome))
  },
}

const hungMajority: Behaviour = {
  id: 'hung-majority',
  title: 'A hung majority: acquire gives up within 3 s',
  test: 'Two nodes of three never answer (of one: that one); no retries.',
  known: 'reading of redlock 5 and redis-semaphore: commands have no timeout.',
  hangs: true,
  run: async ({ acquireUnder, nodes }) => {
    const indexes = nodes.length > 1 ? [0, 1] : [0]
    const outcome = await acquireUnder(() => hang, { limit: 3000, indexes })
    return outcome.state === 'rejected'
      ? ok(`gave up after ${seconds(outcome.time)}`)
      : fails(describe(outcome))
  },
}

const hungRelease: Behaviour = {
  id: 'hung-release',
  title: 'One hung node of three: release settles within 1 s',
  test: 'One node stops answering after the acquire.',
  known: 'reading of redlock 4 and redis-semaphore: both wait for every node.',
  needs: ['several nodes'],
  hangs: true,
  run: async ({ openHolder, fail }) => {
    const { hold } = await openHolder()
    fail(() => hang, [0])
    const outcome = await settle(hold.release(), 1000)
    return outcome.state === 'resolved'
      ? ok(`released after ${seconds(outcome.time)}`)
      : fails(describe(outcome))
  },
}

const ttl = 1500
const tolerance = 500

const hungExtend: Behaviour = {
  id: 'hung-extend',
  title: 'Every automatic extend hangs: a signal, callback or flag reports the loss to the holder',
  test: `ttl ${ttl} ms, command timeout 300 ms; reported at the latest ${tolerance} ms after the ttl of the only grant is over. A timestamp to compare with the clock does not count as a report.`,
  known: 'reading of redlock 5 and redis-semaphore: only an extend that ends can report it.',
  needs: ['extends itself'],
  hangs: true,
  run: async ({ open, fail, key }) => {
    const session = await open({ ttl, timeout: 300 })
    const lossReported = new Promise<number>((resolve, reject) => {
      const routine = async (isLost: () => boolean): Promise<void> => {
        const start = performance.now()
        fail(() => hang)
        while (!isLost() && performance.now() - start < ttl + tolerance) await sleep(5)
        resolve(isLost() ? performance.now() - start : Infinity)
        fail(undefined)
      }
      session.run!(key, routine).catch(reject)
    })
    const after = await lossReported
    if (after > ttl + tolerance)
      return fails(`still not reported ${seconds(tolerance)} after the end`)
    return ok(
      after < ttl + 50 ? 'reported by the end' : `reported ${seconds(after - ttl)} after the end`,
    )
  },
}

export const hangingBehaviours = { hungNode, hungMajority, hungRelease, hungExtend }
