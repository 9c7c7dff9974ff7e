import {
  type AcquireResult,
  type Lock,
  type SlotRedlock,
  type TryAcquireOptions,
  withSlots,
} from '../../../src/index.ts'
import type { SlotOptions } from '../../../src/core/options/call-options.ts'
import { checkSlotName } from '../checks/slot-checks.ts'
import { endHold, recordHold } from './hold.ts'
import type { Scenario } from './scenario.ts'
import { startClient } from './simulated-client.ts'
import type { SlotTarget } from './slot-call.ts'

// An upper bound on the time until all clients are served, in ms.
const maxService = 20_000

/** Requests a slot once, or repeatedly for as long as servers can be quarantined. */
const ask = async (
  redlock: SlotRedlock,
  key: string,
  options: TryAcquireOptions & SlotOptions,
  waits: boolean,
): Promise<AcquireResult> => {
  if (!waits) return redlock.tryAcquire(key, options)
  const retry = { delay: 5, maxDelay: 60 }
  return { ok: true, lock: await redlock.acquire(key, { ...options, wait: maxService, retry }) }
}

/**
 * Checks that each client in turn acquires a slot immediately, after all faults have healed and all locks have ended.
 * Once all slots are taken, the next client must be rejected. Servers that were quarantined accept only short locks, so
 * their clients release each slot before the next call.
 */
export const checkAllSlots = async (scenario: Scenario, target: SlotTarget): Promise<void> => {
  const { loop, recorder, rates, maxTtl, clients, abandoned } = scenario
  const { key, limit } = target
  const held: (() => Promise<void>)[] = []
  let isDone = false
  const serve = async (): Promise<void> => {
    for (let turn = 1; turn <= limit + 1; turn++) {
      const client = startClient(scenario, `s${turn}`, withSlots)
      clients.push(client)
      const { process, redlock, background } = client
      const waitUntil = (work: Promise<unknown>): void => void background.push(work)
      recorder.beginCall(process.name)
      const ttl = rates.volatile ? maxTtl : 60_000
      const result = await ask(redlock, key, { limit, ttl, waitUntil }, rates.volatile)
      const expectsSlot = rates.volatile || turn <= limit
      if (result.ok !== expectsSlot || (!result.ok && result.reason !== 'locked')) {
        const text = result.ok ? 'a slot' : result.reason
        recorder.violated('all slots', `${process.name} of ${limit} slots got ${text}`)
      }
      const end = async (lock?: Lock): Promise<void> => {
        await lock?.release()
        while (background.length > 0) await Promise.all(background.splice(0))
        recorder.endCall(process.name)
      }
      if (!result.ok) {
        await end()
        continue
      }
      const { lock } = result
      checkSlotName(scenario, lock.keys, limit)
      const hold = recordHold(scenario, client, lock)
      held.push(async () => {
        endHold(scenario, client, hold)
        await end(lock)
      })
      if (rates.volatile) await held.pop()!()
    }
    for (const release of held) await release()
    isDone = true
  }
  serve().catch((error: unknown) => recorder.violated('all slots', String(error)))
  await loop.runUntil(loop.now() + maxService, () => isDone)
  if (!isDone) recorder.violated('all slots', `not done after ${maxService} ms`)
  recorder.covered('slots: all of them after recovery')
  abandoned.clear()
  await loop.runUntil(loop.now() + 3_000)
}
