import { forget, once } from '../../../src/entries/idempotency.ts'
import type { Lock } from '../../../src/index.ts'
import { checkOnceError, RunError } from '../checks/once-errors.ts'
import { type OnceCall, type OnceLog, onceName } from '../checks/once-log.ts'
import { recordError } from './expected-errors.ts'
import { endHold, recordHold } from './hold.ts'
import { drawSignal, finishCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

export type OnceSettings = {
  readonly keepFor: number
  /** How long to wait for the run of another call, in ms. */
  readonly wait: number
  /** The duration of the function, in ms. */
  readonly work: number
  /** The maximum time for which the lock is held, in ms. */
  readonly maxHold: number | undefined
  readonly fails: boolean
  /** Whether a signal can abort the call. */
  readonly mayAbort: boolean
}

/** The function that should run once. */
const runFunction = async (
  scenario: Scenario,
  log: OnceLog,
  call: OnceCall,
  { work, fails }: OnceSettings,
  lock: Lock,
): Promise<string> => {
  const { client } = call
  const hold = recordHold(scenario, client, lock)
  const run = log.begin(call, hold)
  lock.signal.addEventListener('abort', () => (run.wasLost = true))
  await client.process.sleep(work)
  if (!lock.held) run.wasLost = true
  endHold(scenario, client, hold)
  if (fails) throw new RunError(call)
  // Releasing the handle of a run must not free the key.
  if (scenario.loop.random.chance(0.2)) await lock.release()
  log.returned(run)
  return run.content
}

/** Calls `once`. @returns whether the call returned a value. */
export const callOnce = async (
  scenario: Scenario,
  client: SimulatedClient,
  log: OnceLog,
  settings: OnceSettings,
): Promise<boolean> => {
  const { recorder } = scenario
  const { keepFor, wait, maxHold, mayAbort } = settings
  const signal = mayAbort ? drawSignal(scenario, client) : undefined
  recorder.beginCall(client.process.name)
  const call = log.called({ client, keepFor, wait })
  const options = {
    keepFor,
    wait,
    maxHold,
    signal,
    waitUntil: (work: Promise<unknown>) => void client.background.push(work),
  }
  try {
    const content = await once(client.redlock, onceName, options, (lock) =>
      runFunction(scenario, log, call, settings, lock),
    )
    recorder.covered(call.run ? 'once: ran' : 'once: got the value of another')
    if (call.run && call.run.content !== content) recorder.covered('once: gave way to another run')
    log.got(call, content)
  } catch (error) {
    checkOnceError(scenario, call, error, signal)
  }
  await finishCall(scenario, client)
  return call.content !== undefined
}

/** Calls `forget`. */
export const callForget = async (
  scenario: Scenario,
  client: SimulatedClient,
  log: OnceLog,
  wait: number,
): Promise<void> => {
  const { recorder, loop } = scenario
  const signal = drawSignal(scenario, client)
  recorder.beginCall(client.process.name)
  const forgetting = log.forget()
  const waitUntil = (work: Promise<unknown>): void => void client.background.push(work)
  try {
    forgetting.isComplete = await forget(client.redlock, onceName, { wait, signal, waitUntil })
    recorder.covered(`once: forgotten, ${forgetting.isComplete}`)
  } catch (error) {
    recordError(scenario, 'forget', error, signal)
  }
  forgetting.endedAt = loop.now()
  await finishCall(scenario, client)
}
