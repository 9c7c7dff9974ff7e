import { ttlOf } from '../../../src/index.ts'
import type { Lock } from '../../../src/index.ts'
import { checkForced } from '../checks/force-checks.ts'
import { checkConfirmed, checkContinuity, checkExtended } from '../checks/oracle-checks.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'
import { watchSignal } from '../checks/signal-check.ts'
import { injectDataLoss } from './data-loss.ts'
import { recordError } from './expected-errors.ts'
import { executesAsSent, hasSafeData } from './fault-rates.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

// Operations on a lock that a client holds.

export const requestToken = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  hold: Operation,
): Promise<void> => {
  const { loop, recorder, quorum, rates } = scenario
  const requestedAt = loop.now()
  // Without faults, and with time for several rounds, the call must succeed.
  const lost = rates.replyLost + rates.garbled + rates.reset
  const isSure =
    executesAsSent(rates) &&
    lost === 0 &&
    lock.expiresIn > 80 &&
    recorder.operations().every(({ kind }) => kind !== 'force')
  recorder.say(hold, { type: 'token asked' })
  const token = await lock.fencingToken().catch((error: unknown) => {
    if (isSure) recorder.violated('confirmation', `no token, without any fault: ${String(error)}`)
    throw error
  })
  if (!Number.isSafeInteger(token)) recorder.violated('confirmation', `${token} is no safe integer`)
  recorder.covered(
    loop.now() === requestedAt ? 'token without a request' : 'token by another round',
  )
  loop.trace.say(() => `${client.process.name} has the token ${token}`)
  recorder.say(hold, { type: 'token', token })
  checkConfirmed(recorder, lock, token, quorum)
}

export const extend = async (scenario: Scenario, lock: Lock, hold: Operation): Promise<void> => {
  const { loop, recorder, maxTtl, quorum, rates } = scenario
  const calledAt = loop.now()
  await lock.extend(loop.random.chance(0.5) ? maxTtl : undefined)
  checkExtended(recorder, hold, calledAt, quorum)
  checkForced(scenario, hold, calledAt)
  if (hasSafeData(rates)) checkContinuity(recorder, hold, calledAt)
}

/** Runs a few random operations on a held lock. */
export const useLock = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  hold: Operation,
): Promise<void> => {
  const { loop, options } = scenario
  const { random } = loop
  if (random.chance(0.4)) watchSignal(scenario, client, lock, hold)
  for (let step = random.whole(0, 3); step > 0; step--) {
    const share = random.unit()
    try {
      if (share < 0.3) await extend(scenario, lock, hold)
      else if (share < 0.75) await requestToken(scenario, client, lock, hold)
      else if (share < 0.85) await ttlOf(lock)
      else await lock.reenter().release()
    } catch (error) {
      recordError(scenario, 'a held lock', error)
    }
    injectDataLoss(scenario)
    await client.process.sleep(random.between(0, random.chance(0.2) ? 1.2 : 0.4) * options.ttl)
  }
  // Hold the lock until its very end, so that it overlaps with any lock that was granted too early.
  if (random.chance(0.3)) await client.process.sleep(heldUntil(hold) - loop.now())
}
