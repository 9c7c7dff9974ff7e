import type { KeepAliveLimits, WaitUntil } from '../core/options/call-options.ts'
import { maxDrainTime } from '../core/retry/times.ts'
import { sleep, systemClock } from '../util/clock.ts'
import { checkFunction } from '../util/validate.ts'

/** The services and limits of the platform that runs a request. */
export type Platform = {
  /** The runtime's `waitUntil`; undefined if there is none, as on Lambda and plain Node. */
  readonly waitUntil: WaitUntil | undefined
  /** Returns the ms until the platform ends the function; Infinity if it sets no limit. */
  readonly remainingTime: () => number
  /** Whether the process is frozen after the response, as on Lambda. */
  readonly freezes: boolean
}

/** The fields that this package reads from a Workers, Vercel, Netlify or Lambda context. */
type PlatformContext = {
  readonly waitUntil?: WaitUntil
  readonly deadline?: Date | number
  readonly getRemainingTimeInMillis?: () => number
}

// @vercel/functions reads the same global.
// https://vercel.com/docs/functions/functions-api-reference
const vercelKey = Symbol.for('@vercel/request-context')

/**
 * Finds the `waitUntil` and the time limit of a request. Their sources are the contexts passed with the request, such
 * as a Workers or Lambda context, and the global that Vercel sets.
 */
export const platformOf = (contexts: readonly unknown[]): Platform => {
  const vercel = (globalThis as { [vercelKey]?: { readonly get?: () => PlatformContext } })[
    vercelKey
  ]?.get?.()
  const withMethod = (name: keyof PlatformContext): PlatformContext | undefined =>
    ([...contexts, vercel] as readonly (PlatformContext | undefined)[]).find(
      (context) => typeof context?.[name] === 'function',
    )
  const execution = withMethod('waitUntil')
  const lambda = withMethod('getRemainingTimeInMillis')
  return {
    // Call `waitUntil` as a method: workerd rejects a detached one as an illegal invocation.
    waitUntil: execution && ((work) => execution.waitUntil!(work)),
    remainingTime: () =>
      lambda?.getRemainingTimeInMillis!() ?? Number(vercel?.deadline ?? Infinity) - Date.now(),
    freezes: !!lambda,
  }
}

/** How long a call can wait on behalf of one request, and how long it can hold a lock. */
export type Hold = {
  readonly wait: number
  readonly signal: AbortSignal | undefined
  /** Returns the ms for which the lock can still be held: `maxHold`, or less if the platform ends the function first. */
  readonly timeLeft: () => number
}

/** Limits the wait and the lock so that neither outlasts the function that the platform runs. */
export const holdOf = (
  { platform, request }: { readonly platform: Platform; readonly request: Request },
  limits: KeepAliveLimits,
  longest: number = 0,
): Hold => {
  const timeLeft = (): number => Math.max(0, Math.min(limits.maxHold, platform.remainingTime()))
  // A tenth of the platform's remaining time is reserved for the response.
  const wait = Math.max(0, Math.min(longest, 0.9 * platform.remainingTime()))
  // The wait ends early if the client disconnects.
  return { wait, signal: wait > 0 ? request.signal : undefined, timeLeft }
}

/** Runs work that can continue after the response to a request. The work must not reject. */
export type Background = {
  /** Registers work that can continue after the response. */
  readonly waitUntil: WaitUntil
  /**
   * Keeps the request alive from now on, even if the client disconnects: workerd cancels work that was not passed to
   * `waitUntil`. Pass the last task of the request to the returned function, which resolves as soon as the response
   * can be sent.
   *
   * @see {@link https://github.com/cloudflare/workerd/issues/5062}
   */
  readonly keepAlive: () => (last: unknown) => Promise<void>
  /** Waits for work that the runtime would freeze after the response. */
  readonly drain: () => Promise<void>
}

/** Passes work to `waitUntil`. Without one, `drain` waits for the work if the process freezes after the response. */
export const backgroundOf = (
  platform: Platform,
  waitUntil: WaitUntil | undefined = platform.waitUntil,
): Background => {
  if (waitUntil) checkFunction('waitUntil', waitUntil)
  const works: Promise<unknown>[] = []
  const finishAll = async (): Promise<void> => {
    // Pending work can add more work.
    for (; works[0]; works.shift()) await works[0]
  }
  const add: WaitUntil = (work) => {
    // One promise covers all current work, because each `waitUntil` call takes time on workerd.
    if (works.push(work) === 1) waitUntil?.(finishAll())
  }
  const drain = async (): Promise<void> => {
    if (platform.freezes && !waitUntil && works[0]) {
      await sleep(systemClock, maxDrainTime, undefined, (wake) => void finishAll().then(wake))
    }
  }
  return {
    waitUntil: add,
    keepAlive: () => {
      let end: ((last: unknown) => void) | undefined
      try {
        if (waitUntil) add(new Promise((resolve) => (end = resolve)))
      } catch {
        // If `waitUntil` throws, the response waits for the last task, as it does without `waitUntil`.
        end = undefined
      }
      return async (last) => {
        if (end) return end(last)
        await last
        return drain()
      }
    },
    drain,
  }
}
