import type { Lock } from '../../../src/index.ts'
import { checkGranted } from '../checks/oracle-checks.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'
import type { Step } from '../../history/records.ts'
import type { Process } from '../engine/process.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

// Records when a client begins to hold a lock, and when it stops.

/** When a lock ends according to its holder. */
export const validUntil = ({ loop }: Scenario, { rate }: Process, { expiresIn }: Lock): number =>
  loop.now() + expiresIn / rate

/** The step of a call that has acquired this lock. */
export const acquiredStep = (scenario: Scenario, process: Process, lock: Lock): Step => ({
  type: 'acquired',
  keys: lock.keys,
  lock: lock.value,
  askedAt: scenario.recorder.oracle.firstSent.get(lock.value)!,
  validUntil: validUntil(scenario, process, lock),
})

/**
 * Records that a client has acquired a lock.
 *
 * @param hold - The operation of the call. Default: a new one, for calls that the package makes internally.
 */
export const recordHold = (
  scenario: Scenario,
  { process, held }: SimulatedClient,
  lock: Lock,
  hold: Operation = scenario.recorder.called(process.name, { kind: 'lock', keys: lock.keys }),
): Operation => {
  const { loop, recorder, quorum, abandoned } = scenario
  const { keys, value } = lock
  recorder.say(hold, acquiredStep(scenario, process, lock))
  loop.trace.say(
    () =>
      `${process.name} holds ${keys.join()} (${value.slice(0, 8)}) until ${heldUntil(hold).toFixed(1)}`,
  )
  held.set(hold, lock)
  abandoned.delete(value)
  checkGranted(recorder, hold, quorum)
  if (!lock.held) {
    recorder.violated('validity', `${process.name} got a lock whose validity had ended`)
  }
  return hold
}

/** Records that a client no longer holds a lock. */
export const endHold = ({ recorder }: Scenario, client: SimulatedClient, hold: Operation): void => {
  recorder.say(hold, { type: 'releasing' })
  client.held.delete(hold)
}

/** Releases a lock, or abandons it. */
export const releaseLock = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  hold: Operation,
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
    const result = await lock.release()
    recorder.say(hold, { type: 'released', result })
    recorder.covered(`released: ${result}`)
    if (random.chance(0.2)) await lock.release()
  } catch (error) {
    recorder.violated('errors', `release rejects: ${String(error)}`)
  }
}
