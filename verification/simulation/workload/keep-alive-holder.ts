import type { Lock } from '../../../src/index.ts'
import type { HoldGuard } from '../checks/hold-guard.ts'
import { endHold, recordHold } from './hold.ts'
import { runCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** Works for several TTLs while the lock is kept alive. The lock must not be lost during that time. */
const work = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  guard: HoldGuard,
): Promise<void> => {
  const { loop, options } = scenario
  const { random } = loop
  const hold = recordHold(scenario, client, lock)
  guard.begin(lock)
  // A signal with a listener has its own timer.
  if (random.chance(0.5)) lock.signal.addEventListener('abort', () => guard.lost(lock))
  await client.process.sleep(options.ttl * random.between(2, 4))
  if (!lock.held) guard.lost(lock)
  guard.end(lock)
  endHold(scenario, client, hold)
}

/** Calls `using`, or acquires a lock and keeps it alive as the middleware does. Some calls wait. */
export const useForLong = (
  scenario: Scenario,
  client: SimulatedClient,
  guard: HoldGuard,
): Promise<void> =>
  runCall(scenario, client, async ({ waitUntil, metadata }) => {
    const { loop, options } = scenario
    const { random } = loop
    const { ttl } = options
    const retry = { delay: ttl / 20, maxDelay: ttl / 2 }
    const wait = random.pick([0, random.between(0, 6 * ttl)])
    const call = { ttl, retry, wait, waitUntil, metadata }
    if (random.chance(0.5)) {
      await client.redlock.using('held', call, (lock) => work(scenario, client, lock, guard))
      return
    }
    const lock = await client.redlock.acquire('held', call)
    lock.keepAlive({ maxHold: 600_000, maxExtensions: Infinity })
    await work(scenario, client, lock, guard)
    scenario.recorder.covered(`released: ${await lock.release()}`)
  })
