import { adopt, type Lock, serialize } from '../../../src/index.ts'
import { checkOutlived } from '../checks/outlived-check.ts'
import { checkReleased } from '../checks/recovery-checks.ts'
import { recordError } from './expected-errors.ts'
import { endHold, recordHold, releaseLock } from './hold.ts'
import { useLock } from './operations.ts'
import { finishCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** Hands over a lock to another process, which adopts and uses it. */
export const handOver = async (
  scenario: Scenario,
  from: SimulatedClient,
  lock: Lock,
  to: SimulatedClient,
): Promise<void> => {
  const { loop, recorder, handedOver, options } = scenario
  const { random } = loop
  recorder.covered('adopted lock')
  recorder.beginCall(to.process.name)
  const serialized = JSON.stringify(serialize(lock))
  const waitUntil = (work: Promise<unknown>): void => void to.background.push(work)
  from.hasAbandonedLock = true
  for (const hold of from.held.keys()) if (hold.lock === lock.value) endHold(scenario, from, hold)
  handedOver.add(lock.value)
  await to.process.sleep(random.between(0, 10))
  const adopted = adopt(to.redlock, serialized, { waitUntil })
  try {
    await adopted.extend(random.chance(0.4) ? random.whole(25, options.ttl) : undefined)
    checkOutlived(scenario, to.process, adopted)
    const hold = recordHold(scenario, to, adopted)
    await useLock(scenario, to, adopted, hold)
    await releaseLock(scenario, to, adopted, hold)
  } catch (error) {
    recordError(scenario, 'an adopted lock', error)
    await adopted.release()
  }
  await finishCall(scenario, to)
  // By then, all requests have arrived, and `checkReleased` is about to check.
  loop.after(14, () => handedOver.delete(lock.value))
  checkReleased(scenario, to.process.name, new Set([lock.value]))
}
