import { adopt, type Lock, serialize } from '../../../src/index.ts'
import { heldUntil } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'
import { recordHold, releaseLock } from './hold.ts'
import { extend } from './operations.ts'
import { runCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'
import { startClient } from './simulated-client.ts'

// One client holds a lock until the last moment of its validity. Another client acquires the lock as soon as it can
// expire, which reveals a validity that is a few milliseconds too long.

/** Extends the lock up to twice, and holds it until it expires. */
const holdUntilExpiry = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  call?: Operation,
): Promise<void> => {
  const { random, now } = scenario.loop
  const hold = recordHold(scenario, client, lock, call)
  try {
    for (let times = random.whole(0, 2); times > 0; times--) {
      await client.process.sleep(random.between(0, 0.4) * (heldUntil(hold) - now()))
      await extend(scenario, lock, hold)
    }
    await client.process.sleep(heldUntil(hold) - now())
  } finally {
    await releaseLock(scenario, client, lock, hold)
  }
}

/** Runs the first client. Sometimes it hands the lock over to a new process, which holds it until it expires. */
export const runHolder = async (scenario: Scenario, client: SimulatedClient): Promise<void> => {
  const { loop, keys, maxTtl, options, handedOver } = scenario
  const { random } = loop
  const isHandedOver = random.chance(0.3)
  let serialized: string | undefined
  await runCall(scenario, client, async (common) => {
    const lock = await client.redlock.acquire(keys[0]!, { ...common, wait: maxTtl })
    if (!isHandedOver) return holdUntilExpiry(scenario, client, lock)
    handedOver.add(lock.value)
    // The timer of the abandoned lock runs until the validity ends.
    client.hasAbandonedLock = true
    serialized = JSON.stringify(serialize(lock))
    return undefined
  })
  if (serialized === undefined) return
  const adopter = startClient(scenario, `${client.process.name}'`)
  await runCall(scenario, adopter, async ({ waitUntil }) => {
    const adopted = adopt(adopter.redlock, serialized!, { waitUntil })
    await adopted.extend(random.whole(25, options.ttl))
    await holdUntilExpiry(scenario, adopter, adopted)
  })
}

/** Runs the second client. It retries after a random delay, at the latest when the lock can expire. */
export const runContender = async (scenario: Scenario, client: SimulatedClient): Promise<void> => {
  const { loop, keys, maxTtl } = scenario
  const { random } = loop
  await client.process.sleep(random.between(0, maxTtl))
  await runCall(scenario, client, async (common) => {
    const lock = await client.redlock.acquire(keys[0]!, {
      ...common,
      wait: 4 * maxTtl,
      retry: ({ retryAfter }) => Math.min(retryAfter, random.between(1, maxTtl)),
    })
    const hold = recordHold(scenario, client, lock)
    await client.process.sleep(random.between(0, 20))
    await releaseLock(scenario, client, lock, hold)
  })
}
