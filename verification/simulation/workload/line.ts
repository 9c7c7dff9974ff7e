import { isLockedError, type Lock } from '../../../src/index.ts'
import type { RetryOptions } from '../../../src/core/retry/retry.ts'
import type { Operation } from '../../history/operation.ts'
import type { Step } from '../../history/records.ts'
import { refusalOf } from '../../history/refusal.ts'
import { recordError } from './expected-errors.ts'
import { endHold, recordHold } from './hold.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** A call of a process whose other calls wait for the same key. Times in ms. */
export type LineCall = {
  /** The metadata of the call, which every request contains. */
  readonly name: string
  readonly client: SimulatedClient
  readonly delay: number
  readonly wait: number
  readonly retry: RetryOptions & Required<Pick<RetryOptions, 'delay' | 'maxDelay'>>
  /** The time after which the call is aborted, in ms; Infinity for never. */
  readonly abortAfter: number
  /** How long the caller holds the lock. */
  readonly holdTime: number
  /** The operation of the call, once it has been made. */
  made?: Operation
}

type Refused = Extract<Step, { type: 'refused' }>

const ask = async ({ loop }: Scenario, call: LineCall): Promise<Lock | Refused> => {
  const { client, name, wait, retry, abortAfter } = call
  const { redlock, background, process } = client
  const controller = new AbortController()
  const abort = (): void => process.run(() => controller.abort(new Error('no longer wanted')))
  const cancelAbort = abortAfter < Infinity ? loop.after(abortAfter, abort) : undefined
  try {
    return await redlock.acquire('line', {
      wait,
      retry,
      metadata: name,
      waitUntil: (work) => void background.push(work),
      ...(cancelAbort && { signal: controller.signal }),
    })
  } catch (error) {
    const reason = refusalOf(error, controller.signal)
    if (!reason) throw error
    const retryAfter = isLockedError(error) && { retryAfter: error.retryAfter }
    return { type: 'refused', reason, ...retryAfter }
  } finally {
    cancelAbort?.()
  }
}

/** Runs one call. If it acquires the lock, holds the lock for a while. */
const runLineCall = async (
  scenario: Scenario,
  call: LineCall,
  onIdle?: (client: SimulatedClient) => void,
): Promise<void> => {
  const { loop, recorder } = scenario
  const { client, name, delay, holdTime } = call
  const { process, background } = client
  recorder.beginCall(process.name)
  await process.sleep(delay)
  const made = recorder.called(process.name, { kind: 'lock', keys: ['line'] })
  call.made = made
  loop.trace.say(() => `${name} of ${process.name} calls, wait ${call.wait.toFixed(0)}`)
  const answer = await ask(scenario, call)
  loop.trace.say(
    () => `${name} of ${process.name} settles: ${'type' in answer ? answer.reason : 'won'}`,
  )
  if ('type' in answer) recorder.say(made, answer)
  else {
    recordHold(scenario, client, answer, made)
    await process.sleep(holdTime)
    endHold(scenario, client, made)
    recorder.say(made, { type: 'released', result: await answer.release() })
  }
  while (background.length > 0) await Promise.all(background.splice(0))
  if (recorder.endCall(process.name).size > 0) onIdle?.(client)
}

/** Runs the calls of one or several lines until all have settled. */
export const runLines = async (
  scenario: Scenario,
  calls: readonly LineCall[],
  limit: number,
  /** Called when the last call of a process has ended, with all its background work. */
  onIdle?: (client: SimulatedClient) => void,
): Promise<void> => {
  const { loop } = scenario
  let open = calls.length
  for (const call of calls) {
    runLineCall(scenario, call, onIdle)
      .catch((error: unknown) => recordError(scenario, 'a call of a line', error))
      .finally(() => open--)
  }
  await loop.runUntil(loop.now() + limit, () => open === 0)
}
