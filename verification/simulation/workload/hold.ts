import type { Lock } from '../../../src/index.ts'
import { checkGranted } from '../checks/oracle-checks.ts'
import type { Hold } from '../../history/records.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

// The beginning and the end of the period for which a client holds a lock.

/** Records that a client has got a lock. */
export const recordHold = (
  { loop, recorder, quorum, abandoned }: Scenario,
  { process, held }: SimulatedClient,
  lock: Lock,
): Hold => {
  const from = loop.now()
  const { keys, value } = lock
  const hold: Hold = {
    process: process.name,
    keys,
    value,
    from,
    until: from + lock.expiresIn / process.rate,
  }
  loop.trace.say(
    () =>
      `${process.name} holds ${keys.join()} (${value.slice(0, 8)}) until ${hold.until.toFixed(1)}`,
  )
  recorder.holds.push(hold)
  held.set(hold, lock)
  abandoned.delete(value)
  checkGranted(recorder, hold, quorum)
  if (!lock.held) {
    recorder.violated('validity', `${process.name} got a lock whose validity had ended`)
  }
  return hold
}

/** Records that a client does not hold a lock any more. */
export const endHold = ({ loop }: Scenario, client: SimulatedClient, hold: Hold): void => {
  hold.until = Math.min(hold.until, loop.now())
  client.held.delete(hold)
}

/** Releases a lock, or abandons it. */
export const releaseLock = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  hold: Hold,
): Promise<void> => {
  const { loop, recorder, abandoned } = scenario
  const { random } = loop
  endHold(scenario, client, hold)
  if (random.chance(0.08)) {
    abandoned.add(lock.value)
    client.hasAbandonedLock = true
    return
  }
  try {
    recorder.covered(`released: ${await lock.release()}`)
    if (random.chance(0.2)) await lock.release()
  } catch (error) {
    recorder.violated('errors', `release rejects: ${String(error)}`)
  }
}
