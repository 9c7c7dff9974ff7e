import { checkReleased } from '../checks/recovery-checks.ts'
import { recordError } from './expected-errors.ts'
import type { Kind } from '../../history/records.ts'
import type { Operation } from '../../history/operation.ts'
import { refusalOf } from '../../history/refusal.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** Options that all calls share. */
export type CommonOptions = {
  readonly signal: AbortSignal | undefined
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly metadata: string | undefined
}

/** The error of work under a lock. The client must rethrow it unchanged. */
export const workError = new Error('the work itself failed')

/** For some calls, draws a signal that aborts at a random moment. */
export const drawSignal = (
  { loop, options }: Scenario,
  { process }: SimulatedClient,
): AbortSignal | undefined => {
  const { random } = loop
  if (!random.chance(0.12)) return undefined
  const controller = new AbortController()
  loop.after(random.between(0, options.ttl / 2), () =>
    process.run(() => controller.abort(new Error('no longer wanted'))),
  )
  return controller.signal
}

/** Makes a call for these keys, and records a rejection or a failure. `ask` records a success. */
export const recordCall = <T>(
  { recorder }: Scenario,
  { process }: SimulatedClient,
  kind: Kind,
  key: string | readonly string[],
  ask: (call: Operation) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const call = recorder.called(process.name, { kind, keys: [key].flat() })
  return ask(call).catch((error: unknown) => {
    const reason = refusalOf(error, signal)
    if (reason) recorder.say(call, { type: 'refused', reason })
    else recorder.say(call, { type: 'failed', reason: String(error) })
    throw error
  })
}

/** Waits for the background work of a call, then checks that nothing of the call is left. */
export const finishCall = async (scenario: Scenario, client: SimulatedClient): Promise<void> => {
  const { process, background, held } = client
  while (background.length > 0) await Promise.all(background.splice(0))
  const values = scenario.recorder.endCall(process.name)
  checkReleased(scenario, process.name, values)
  const isIdle = values.size > 0 && held.size === 0 && !client.hasAbandonedLock
  if (isIdle && process.activeTimers() > 0) {
    scenario.recorder.violated('timers', `${process.name} has timers after its last call has ended`)
  }
}

/** Runs a call and its background work. Never rejects: errors are recorded. */
export const runCall = async (
  scenario: Scenario,
  client: SimulatedClient,
  call: (options: CommonOptions) => Promise<unknown>,
): Promise<void> => {
  const { loop, recorder } = scenario
  const signal = drawSignal(scenario, client)
  recorder.beginCall(client.process.name)
  try {
    await call({
      signal,
      waitUntil: (work) => void client.background.push(work),
      metadata: loop.random.chance(0.2) ? 'a note' : undefined,
    })
  } catch (error) {
    if (error !== workError) recordError(scenario, 'a call', error, signal)
  }
  await finishCall(scenario, client)
}
