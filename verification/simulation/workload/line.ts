import { isLockedError, isQuorumError, type Lock } from '../../../src/index.ts'
import type { RetryOptions } from '../../../src/retry/retry.ts'
import { recordError } from './expected-errors.ts'
import { endHold, recordHold } from './hold.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** A call of a process whose other calls wait for the same key. Times in ms. */
export type LineCall = {
  /** Its metadata, which every request shows. */
  readonly name: string
  readonly client: SimulatedClient
  readonly delay: number
  readonly wait: number
  readonly retry: RetryOptions & Required<Omit<RetryOptions, 'attempts'>>
  /** Aborts the call so many ms after it began, if at all. */
  readonly abortAfter: number
  /** How long the caller holds the lock. */
  readonly holdTime: number
  calledAt: number
  settledAt: number
  result: 'won' | 'locked' | 'unavailable' | 'aborted' | undefined
  /** The time after which a refused call may try again. */
  retryAfter: number
}

/** A period in which somebody held the lock. */
export type Held = { readonly from: number; until: number }

const ask = async ({ loop }: Scenario, call: LineCall): Promise<Lock | LineCall['result']> => {
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
    if (isLockedError(error)) {
      call.retryAfter = error.retryAfter
      return 'locked'
    }
    if (isQuorumError(error)) return 'unavailable'
    if (error === controller.signal.reason) return 'aborted'
    throw error
  } finally {
    cancelAbort?.()
  }
}

/** Runs one call, and holds the lock for a while if the call gets it. */
const runLineCall = async (
  scenario: Scenario,
  call: LineCall,
  held: Held[],
  onIdle?: (client: SimulatedClient) => void,
): Promise<void> => {
  const { loop, recorder } = scenario
  const { client, name, delay, holdTime } = call
  const { process, background } = client
  recorder.beginCall(process.name)
  await process.sleep(delay)
  call.calledAt = loop.now()
  loop.trace.say(() => `${name} of ${process.name} calls, wait ${call.wait.toFixed(0)}`)
  const answer = await ask(scenario, call)
  call.settledAt = loop.now()
  call.result = typeof answer === 'object' ? 'won' : answer
  loop.trace.say(() => `${name} of ${process.name} settles: ${call.result}`)
  if (typeof answer === 'object') {
    const hold = recordHold(scenario, client, answer)
    const period = { from: loop.now(), until: Infinity }
    held.push(period)
    await process.sleep(holdTime)
    endHold(scenario, client, hold)
    period.until = loop.now()
    await answer.release()
  }
  while (background.length > 0) await Promise.all(background.splice(0))
  if (recorder.endCall(process.name).size > 0) onIdle?.(client)
}

/** Runs the calls of one or several lines, until all have settled. Adds the periods of their holds. */
export const runLines = async (
  scenario: Scenario,
  calls: readonly LineCall[],
  held: Held[],
  limit: number,
  /** Called when the last call of a process has ended, with all its background work. */
  onIdle?: (client: SimulatedClient) => void,
): Promise<void> => {
  const { loop } = scenario
  let open = calls.length
  for (const call of calls) {
    runLineCall(scenario, call, held, onIdle)
      .catch((error: unknown) => recordError(scenario, 'a call of a line', error))
      .finally(() => open--)
  }
  await loop.runUntil(loop.now() + limit, () => open === 0)
}
