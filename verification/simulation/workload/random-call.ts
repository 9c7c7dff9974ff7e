import { inspect, type Lock, throttle } from '../../../src/index.ts'
import type { Operation } from '../../history/operation.ts'
import { checkSecrets } from '../checks/secret-check.ts'
import { handOver } from './hand-over.ts'
import { endHold, recordHold, releaseLock } from './hold.ts'
import { useLock } from './operations.ts'
import { type CommonOptions, recordCall, runCall, workError } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'
import { startClient } from './simulated-client.ts'

// One call of a random kind, and the client's actions with its result.

type Target = {
  readonly key: string | string[]
  readonly ttl: number | undefined
  readonly wait: number | undefined
}

type Call = (
  scenario: Scenario,
  client: SimulatedClient,
  target: Target,
  common: CommonOptions,
  call: Operation,
) => Promise<void>

/** Uses and releases a lock, or hands it over to another client. */
export const withLock = async (
  scenario: Scenario,
  client: SimulatedClient,
  lock: Lock,
  call: Operation,
): Promise<void> => {
  const hold = recordHold(scenario, client, lock, call)
  const { random } = scenario.loop
  const others = scenario.clients.filter((one) => one !== client && one.process.isAlive())
  const other = others[0] && random.pick(others)
  if (other && random.chance(0.08)) {
    void handOver(scenario, client, lock, other)
    return
  }
  await useLock(scenario, client, lock, hold)
  await releaseLock(scenario, client, lock, hold)
}

const tryAcquire: Call = async (scenario, client, { key, ttl }, common, call) => {
  const { recorder } = scenario
  const result = await client.redlock.tryAcquire(key, { ttl, ...common })
  checkSecrets(scenario, 'a result', result.ok ? undefined : result)
  if (result.ok) return withLock(scenario, client, result.lock, call)
  recorder.say(call, { type: 'refused', reason: result.reason })
  return recorder.covered(result.reason)
}

const acquire: Call = async (scenario, client, { key, ttl, wait }, common, call) => {
  const { loop, options } = scenario
  const { random } = loop
  // Most calls retry exactly when a quorum can become free.
  const retry = ({ retryAfter }: { retryAfter: number }): number =>
    random.chance(0.7) ? Math.min(retryAfter, options.ttl) : random.between(1, 20)
  const retries = random.chance(0.6) ? { retry, wait: wait ?? 2 * options.ttl } : { wait }
  const lock = await client.redlock.acquire(key, { ttl, ...retries, ...common })
  await withLock(scenario, client, lock, call)
}

const using: Call = async (scenario, client, { key, ttl, wait }, common, call) => {
  const options = { ttl, wait, ...common, maxHold: 4 * scenario.maxTtl }
  await client.redlock.using(key, options, async (lock) => {
    const hold = recordHold(scenario, client, lock, call)
    try {
      await useLock(scenario, client, lock, hold)
      if (scenario.loop.random.chance(0.2)) throw workError
    } finally {
      endHold(scenario, client, hold)
    }
  })
}

const pass = async (
  scenario: Scenario,
  client: SimulatedClient,
  { signal, waitUntil }: CommonOptions,
): Promise<void> => {
  const { loop, recorder, keys, maxTtl } = scenario
  const { redlock, process } = client
  const { random } = loop
  const window = random.whole(Math.min(30, maxTtl), maxTtl)
  const key = random.pick(keys)
  const call = recorder.called(process.name, { kind: 'throttle', keys: [key] })
  const result = await throttle(redlock, key, { window, signal, waitUntil })
  checkSecrets(scenario, 'a result', result)
  if (result.ok) {
    recorder.covered('throttle: passed')
    const askedAt = recorder.oracle.lastRequested.get(`${process.name} lock:t:${key}`)!
    recorder.say(call, { type: 'passed', window, askedAt })
  } else {
    recorder.covered(`throttle: ${result.reason}`)
    recorder.say(call, { type: 'refused', reason: result.reason })
  }
}

const callFor = (share: number): Call => {
  if (share < 0.45) return tryAcquire
  return share < 0.7 ? acquire : using
}

export const randomCall = async (scenario: Scenario, client: SimulatedClient): Promise<void> => {
  const { loop, keys, options, maxTtl } = scenario
  const { random } = loop
  const key = random.chance(0.2) ? [...keys] : random.pick(keys)
  const ttl = random.chance(0.3) ? random.whole(Math.min(30, maxTtl), maxTtl) : undefined
  const wait = random.chance(0.5) ? random.between(0, 2 * options.ttl) : undefined
  const share = random.unit()
  await runCall(scenario, client, async (common) => {
    if (share >= 0.95) {
      return checkSecrets(scenario, 'an inspection', await inspect(client.redlock, key))
    }
    if (share >= 0.83) return pass(scenario, client, common)
    const call = callFor(share)
    return recordCall(
      scenario,
      client,
      'lock',
      key,
      (operation) => call(scenario, client, { key, ttl, wait }, common, operation),
      common.signal,
    )
  })
}

/**
 * Makes the call in a Worker, that is, in a process for one call. The Worker is evicted as soon as all work that was
 * passed to `waitUntil` has ended.
 */
export const randomCallInWorker = async (scenario: Scenario, name: string): Promise<void> => {
  const client = startClient(scenario, name)
  await randomCall(scenario, client)
  client.process.kill()
  scenario.recorder.covered('evicted Worker')
}
