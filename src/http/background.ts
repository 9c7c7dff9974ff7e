import type { WaitUntil } from '../options/call-options.ts'
import { sleep, systemClock } from '../util/clock.ts'
import { checkFunction } from '../util/validate.ts'
import type { RequestScope, ScopeOptions } from './request-scope.ts'

/** The work of one request that may go on after its response. It never rejects. */
export type Background = readonly [
  add: WaitUntil,
  /**
   * Keeps the request alive from now on, even if the client disconnects: workerd cancels work that
   * no `waitUntil` knows of. The returned function takes the last work of the request, and resolves
   * as soon as the response may be sent.
   *
   * @see {@link https://github.com/cloudflare/workerd/issues/5062}
   */
  holdOpen: () => (last: unknown) => Promise<void>,
  /** Resolves when only work is left that the runtime continues after the response. */
  settled: () => Promise<void>,
]

// Ms. Where the process freezes, the response waits for the background work. By then requests have
// arrived at every node that responds; a node that hangs must not cost its whole timeout.
const maxSettleTime = 500

/** Hands work to `waitUntil`; without one, collects it if the process freezes after the response. */
export const backgroundOf = <Args extends readonly unknown[]>({
  options,
  args,
  platform,
}: RequestScope<Args, ScopeOptions<Args>>): Background => {
  const waitUntil = options.waitUntil?.(...args) ?? platform.waitUntil
  if (waitUntil) checkFunction('waitUntil', waitUntil)
  const works: Promise<unknown>[] = []
  const finish = async (): Promise<void> => {
    // Work that is awaited may add more work.
    for (; works[0]; works.shift()) await works[0]
  }
  const add: WaitUntil = (work) => {
    // As one promise while any work is under way, since each call takes time on workerd.
    if (works.push(work) === 1) waitUntil?.(finish())
  }
  const settled = async (): Promise<void> => {
    if (platform.freezes && !waitUntil && works[0]) {
      await sleep(systemClock, maxSettleTime, undefined, (wake) => void finish().then(wake))
    }
  }
  return [
    add,
    () => {
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
        return settled()
      }
    },
    settled,
  ]
}
