import { type Lock, throttle } from '../../../src/index.ts'
import type { Operation } from '../../history/operation.ts'
import { checkSecrets } from '../checks/secret-check.ts'
import { checkSlotName } from '../checks/slot-checks.ts'
import { endHold, recordHold } from './hold.ts'
import { useLock } from './operations.ts'
import { withLock } from './random-call.ts'
import { type CommonOptions, recordCall, runCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** The key and limit of all calls of a history: all callers of a key use the same limit. */
export type SlotTarget = {
  readonly key: string
  readonly limit: number
}

type Call = (
  scenario: Scenario,
  client: SimulatedClient,
  target: SlotTarget,
  common: CommonOptions & { readonly ttl: number | undefined; readonly wait: number | undefined },
  call: Operation,
) => Promise<void>

const useSlot = async (
  scenario: Scenario,
  client: SimulatedClient,
  { limit }: SlotTarget,
  lock: Lock,
  call: Operation,
): Promise<void> => {
  checkSlotName(scenario, lock.keys, limit)
  await withLock(scenario, client, lock, call)
}

const tryAcquire: Call = async (scenario, client, target, { wait: _wait, ...common }, call) => {
  const { recorder } = scenario
  const result = await client.redlock.tryAcquire(target.key, { ...common, limit: target.limit })
  checkSecrets(scenario, 'a result', result.ok ? undefined : result)
  if (result.ok) return useSlot(scenario, client, target, result.lock, call)
  recorder.say(call, { type: 'refused', reason: result.reason })
  return recorder.covered(`slots: ${result.reason}`)
}

const acquire: Call = async (scenario, client, target, common, call) => {
  const { loop, options } = scenario
  const { random } = loop
  // Most calls retry exactly when a slot can become free.
  const retry = ({ retryAfter }: { retryAfter: number }): number =>
    random.chance(0.7) ? Math.min(retryAfter, options.ttl) : random.between(1, 20)
  const { key, limit } = target
  const wait = common.wait ?? 2 * options.ttl
  const lock = await client.redlock.acquire(key, { ...common, limit, wait, retry })
  await useSlot(scenario, client, target, lock, call)
}

const using: Call = async (scenario, client, { key, limit }, common, call) => {
  const options = { ...common, limit, maxHold: 4 * scenario.maxTtl }
  await client.redlock.using(key, options, async (lock) => {
    checkSlotName(scenario, lock.keys, limit)
    const hold = recordHold(scenario, client, lock, call)
    try {
      await useLock(scenario, client, lock, hold)
    } finally {
      endHold(scenario, client, hold)
    }
  })
}

const pass: Call = async (scenario, client, { key, limit }, common, call) => {
  const { loop, recorder, maxTtl } = scenario
  const { signal, waitUntil, wait } = common
  const window = loop.random.whole(Math.min(30, maxTtl), maxTtl)
  const result = await throttle(client.redlock, key, { window, limit, wait, signal, waitUntil })
  checkSecrets(scenario, 'a result', result)
  if (!result.ok) {
    recorder.say(call, { type: 'refused', reason: result.reason })
    return recorder.covered(`slots: throttle ${result.reason}`)
  }
  const { remaining } = result
  if (remaining === undefined || remaining < 0 || remaining >= limit) {
    recorder.violated('remaining', `${remaining} after a pass, with a limit of ${limit}`)
  }
  recorder.covered('slots: passed')
  const first = `${client.process.name} lock:t:${key}#1`
  const askedAt = recorder.oracle.lastRequested.get(first)!
  if (wait && askedAt > call.calledAt) recorder.covered('slots: passed after a wait')
  recorder.say(call, { type: 'passed', window, askedAt, limit })
}

const callFor = (share: number): Call => {
  if (share < 0.4) return tryAcquire
  if (share < 0.7) return acquire
  return share < 0.85 ? using : pass
}

/** Makes one call of a random kind with a limit, and uses its result. */
export const randomSlotCall = async (
  scenario: Scenario,
  client: SimulatedClient,
  target: SlotTarget,
): Promise<void> => {
  const { loop, options, maxTtl } = scenario
  const { random } = loop
  const ttl = random.chance(0.3) ? random.whole(Math.min(30, maxTtl), maxTtl) : undefined
  const wait = random.chance(0.5) ? random.between(0, 2 * options.ttl) : undefined
  const call = callFor(random.unit())
  await runCall(scenario, client, (common) =>
    recordCall(
      scenario,
      client,
      call === pass ? 'throttle' : 'slots',
      target.key,
      (operation) => call(scenario, client, target, { ...common, ttl, wait }, operation),
      common.signal,
    ),
  )
}
