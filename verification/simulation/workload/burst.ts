import { type Lock, throttle } from '../../../src/index.ts'
import type { Operation } from '../../history/operation.ts'
import type { Refusal } from '../../history/records.ts'
import { refusalOf } from '../../history/refusal.ts'
import { checkSlotName } from '../checks/slot-checks.ts'
import { recordError } from './expected-errors.ts'
import { endHold, recordHold } from './hold.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

// An upper bound on the duration of a call, in ms.
const maxTime = 30_000

/** The request that all clients of a burst make. */
export type Target = {
  readonly key: string | string[]
  readonly isThrottle: boolean
  /** The TTL or window, in ms: longer than the burst. */
  readonly ttl: number
  /** The number of slots of the key. Undefined for a lock without slots. */
  readonly limit?: number
}

/** One call in a burst. Times are in ms. */
export type BurstCall = {
  readonly client: SimulatedClient
  /** How long the process sleeps before the call. */
  readonly delay: number
  readonly wait: number
  /** Whether the call is an `acquire` with a single attempt, which does not wait either. */
  readonly isOneAttempt?: boolean
  /** The operation of the call, once it has been made. */
  made?: Operation
  /** The number of nodes in the rejection, if the call did not wait. */
  heard?: number
}

/** The result of a call in a burst; undefined until the call settles. */
export const resultOf = ({ made }: BurstCall): 'won' | Operation['answer'] => {
  const answer = made?.answer
  return answer === 'acquired' || answer === 'passed' ? 'won' : answer
}

/** Whether a call in a burst won a lock or a pass. */
export const hasWon = (call: BurstCall): boolean => resultOf(call) === 'won'

/** How long a call in a burst took, in ms. */
export const timeOf = ({ made }: BurstCall): number =>
  made?.answeredAt === undefined ? NaN : made.answeredAt - made.calledAt

type Answer = { readonly reason?: Refusal; readonly heard?: number; readonly lock?: Lock }

const ask = async (
  { redlock, background }: SimulatedClient,
  { key, isThrottle, ttl, limit }: Target,
  { wait, isOneAttempt = false }: BurstCall,
): Promise<Answer> => {
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  if (isThrottle) {
    const slots = limit === undefined ? {} : { limit, wait }
    const result = await throttle(redlock, key, { window: ttl, waitUntil, ...slots })
    return result.ok ? {} : { reason: result.reason, heard: result.nodes.length }
  }
  if (wait > 0 || isOneAttempt) {
    const patience = wait > 0 ? { wait } : { retry: { attempts: 1 } }
    try {
      return { lock: await redlock.acquire(key, { ttl, limit, waitUntil, ...patience }) }
    } catch (error) {
      const reason = refusalOf(error)
      if (reason) return { reason }
      throw error
    }
  }
  const result = await redlock.tryAcquire(key, { ttl, limit, waitUntil })
  return result.ok ? { lock: result.lock } : { reason: result.reason, heard: result.nodes.length }
}

/** Counts the kind of burst. */
const coverKind = (
  { recorder: { covered } }: Scenario,
  calls: readonly BurstCall[],
  { key, isThrottle }: Target,
): void => {
  const strategies = new Set(calls.map(({ client }) => client.strategy))
  covered(
    `burst on a ${isThrottle ? 'throttle' : 'lock'} with ${calls[0]!.wait > 0 ? 'a' : 'no'} wait`,
  )
  if (typeof key !== 'string') covered('burst on several keys')
  if (calls.length > 10) covered('burst of many clients')
  if (strategies.size > 1) covered('burst of parallel and frugal clients')
}

/** Releases the lock of a winner. Resolves when its client has no work left. */
export type Release = () => Promise<void>

/**
 * Runs the calls of a burst, and returns when all calls have settled, or after a time limit. The winners keep their
 * locks until the returned functions are called. Clients can still have background work.
 */
export const runCalls = async (
  scenario: Scenario,
  calls: readonly BurstCall[],
  target: Target,
): Promise<Release[]> => {
  const { loop, recorder } = scenario
  const releases: Release[] = []
  let open = calls.length

  const finish = async ({ process, background }: SimulatedClient): Promise<void> => {
    while (background.length > 0) await Promise.all(background.splice(0))
    recorder.endCall(process.name)
  }
  const join = async (call: BurstCall): Promise<void> => {
    const { client, delay } = call
    const { process } = client
    recorder.beginCall(process.name)
    await process.sleep(delay)
    const { key, isThrottle, limit, ttl: window } = target
    const kind = isThrottle ? 'throttle' : 'burst'
    const made = recorder.called(process.name, { kind, keys: [key].flat() })
    call.made = made
    const { reason, heard, lock } = await ask(client, target, call)
    if (heard !== undefined) call.heard = heard
    loop.trace.say(() => `${process.name} settles: ${reason ?? 'won'}`)
    open--
    if (!lock) {
      recorder.say(made, reason ? { type: 'refused', reason } : { type: 'passed', window, limit })
      return finish(client)
    }
    if (limit !== undefined) checkSlotName(scenario, lock.keys, limit)
    recordHold(scenario, client, lock, made)
    releases.push(async () => {
      endHold(scenario, client, made)
      recorder.say(made, { type: 'released', result: await lock.release() })
      await finish(client)
    })
    return undefined
  }
  for (const call of calls) {
    join(call).catch((error: unknown) => recordError(scenario, 'a call in a burst', error))
  }
  const isOver = (): boolean => {
    const alive = calls.filter(({ client }) => client.process.isAlive())
    return open === 0 || alive.every((call) => resultOf(call) !== undefined)
  }
  await loop.runUntil(loop.now() + maxTime, isOver)
  return releases
}

/** Runs a burst in which one call can win, and makes the winner release its lock at the end. */
export const runBurst = async (
  scenario: Scenario,
  calls: readonly BurstCall[],
  target: Target,
): Promise<void> => {
  coverKind(scenario, calls, target)
  for (const release of await runCalls(scenario, calls, target)) {
    release().catch((error: unknown) => recordError(scenario, 'a release of a burst', error))
  }
}
