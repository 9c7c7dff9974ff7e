import type { WaitUntil } from '../options/call-options.ts'
import { sleep, systemClock } from '../util/clock.ts'
import { checkFunction } from '../util/validate.ts'
import type { Platform } from './platform.ts'

/** The work of one request that may go on after its response. It never rejects. */
export type Background = {
  /** Takes work that may go on after the response. */
  readonly waitUntil: WaitUntil
  /**
   * Keeps the request alive from now on, even if the client disconnects: workerd cancels work that
   * no `waitUntil` knows of. The returned function takes the last work of the request, and resolves
   * as soon as the response may be sent.
   *
   * @see {@link https://github.com/cloudflare/workerd/issues/5062}
   */
  readonly keepAlive: () => (last: unknown) => Promise<void>
  /** Waits for the work that the runtime would not continue after the response. */
  readonly drain: () => Promise<void>
}

// Ms. Where the process freezes, the response waits for the background work. By then requests have
// arrived at every node that responds; a node that hangs must not cost its whole timeout.
const maxDrainTime = 500

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
    // As one promise while any work is under way, since each call takes time on workerd.
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
        // A waitUntil that throws is treated as none: the response waits for the last work.
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
