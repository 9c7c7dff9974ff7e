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

/** The fields that are read from a context of Workers, Vercel, Netlify or Lambda. */
type PlatformContext = {
  readonly waitUntil?: WaitUntil
  readonly deadline?: Date | number
  readonly getRemainingTimeInMillis?: () => number
}

// @vercel/functions reads the same global.
// https://vercel.com/docs/functions/functions-api-reference
const vercelKey = Symbol.for('@vercel/request-context')

/**
 * Finds the `waitUntil` and the time limit of a request. It looks in the contexts that came with the request, such as
 * an execution context or a Lambda context. It also looks in the global that Vercel sets.
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
    // It must be called as a method: workerd rejects a detached waitUntil as an illegal invocation.
    waitUntil: execution && ((work) => execution.waitUntil!(work)),
    remainingTime: () =>
      lambda?.getRemainingTimeInMillis!() ?? Number(vercel?.deadline ?? Infinity) - Date.now(),
    freezes: !!lambda,
  }
}

/** How long a call waits for one request, and how long it holds a lock. */
export type Hold = {
  readonly wait: number
  readonly signal: AbortSignal | undefined
  /** Reads the ms for which the lock can still be held: `maxHold`, or less if the platform ends earlier. */
  readonly timeLeft: () => number
}

/** Neither the wait nor the lock may outlast the function that the platform runs. */
export const holdOf = (
  { platform, request }: { readonly platform: Platform; readonly request: Request },
  limits: KeepAliveLimits,
  longest: number = 0,
): Hold => {
  const timeLeft = (): number => Math.max(0, Math.min(limits.maxHold, platform.remainingTime()))
  // A tenth of the platform's remaining time is for the answer.
  const wait = Math.max(0, Math.min(longest, 0.9 * platform.remainingTime()))
  // The wait ends if the client disconnects.
  return { wait, signal: wait > 0 ? request.signal : undefined, timeLeft }
}

/** The work of one request that may go on after its response. It never rejects. */
export type Background = {
  /** Takes work that may go on after the response. */
  readonly waitUntil: WaitUntil
  /**
   * Keeps the request alive from now on, even if the client disconnects: workerd cancels work that was not passed to a
   * `waitUntil`. The returned function takes the last work of the request, and resolves as soon as the response may be
   * sent.
   *
   * @see {@link https://github.com/cloudflare/workerd/issues/5062}
   */
  readonly keepAlive: () => (last: unknown) => Promise<void>
  /** Waits for the work that the runtime would not continue after the response. */
  readonly drain: () => Promise<void>
}

/** Hands work to `waitUntil`; without one, collects it if the process freezes after the response. */
export const backgroundOf = (
  platform: Platform,
  waitUntil: WaitUntil | undefined = platform.waitUntil,
): Background => {
  if (waitUntil) checkFunction('waitUntil', waitUntil)
  const works: Promise<unknown>[] = []
  const finishAll = async (): Promise<void> => {
    // Work that is awaited may add more work.
    for (; works[0]; works.shift()) await works[0]
  }
  const add: WaitUntil = (work) => {
    // All current work is passed as one promise, since each call takes time on workerd.
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
        // A waitUntil that throws counts as missing: the response waits for the last work.
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
