import type { BurstPlan } from './bursts.ts'
import type { Tools } from './operation.ts'
import { stepOf } from './step-of.ts'
import { sleep } from '../../../tools/faults.ts'
import { watchLag } from './watch-lag.ts'

/**
 * Runs the operation of one client in a burst, on any runtime: makes one call, and keeps the lock alive if it wins.
 * Never rejects; errors are reported as steps.
 */
export const contend = async (plan: BurstPlan, tools: Tools): Promise<void> => {
  const { redlocks, say, after, waitUntil } = tools
  const { key, ttl, driftFactor, hold } = plan
  let unwatch: (() => void) | undefined
  const lag = watchLag()
  say({ type: 'called', kind: 'burst', keys: [key], validity: ttl * (1 - driftFactor) })
  try {
    await redlocks.forBurst(plan).using(key, { ttl, wait: 0, waitUntil }, async (lock) => {
      say({ type: 'acquired', validUntil: after(() => lock.expiresIn), late: lag.take() })
      let isExtending = false
      unwatch = redlocks.watch(lock, {
        onExtend: () => {
          if (isExtending) return
          isExtending = true
          say({ type: 'extending' })
        },
        onEvent: (event) => {
          if (event.type === 'released') say({ type: 'released', result: event.result })
          if (event.type !== 'extended') return
          isExtending = false
          lag.take()
          say({ type: 'extended', validUntil: after(() => lock.expiresIn) })
        },
      })
      lock.signal.addEventListener('abort', () =>
        say({ type: 'lost', grantedBy: redlocks.grantsOf(lock.value), late: lag.take() }),
      )
      await sleep(hold, lock.signal)
      say({ type: 'releasing' })
    })
  } catch (error) {
    say({ ...stepOf(error, redlocks), late: lag.take() })
  } finally {
    unwatch?.()
    lag.stop()
  }
}
