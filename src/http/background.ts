import type { WaitUntil } from '../options/call-options.ts'
import { sleep, systemClock } from '../util/clock.ts'
import { checkFunction } from '../util/validate.ts'
import type { RequestScope, ScopeOptions } from './request-scope.ts'

/** The work of one request that may go on after its response. It never rejects. */
export type Background = {
  readonly add: WaitUntil
  /**
   * Keeps the request alive from now on, even if the client disconnects: workerd cancels work that
   * no `waitUntil` knows of. The returned function takes the last work of the request, and resolves
   * to its result as soon as the response may be sent.
   *
   * @see {@link https://github.com/cloudflare/workerd/issues/5062}
   */
  readonly holdOpen: () => (last: unknown) => Promise<unknown>
  /** Resolves when only work is left that the runtime continues after the response. */
  readonly settled: () => Promise<void>
}

// Ms. Where the process freezes, the response waits for the background work. By then requests have
// arrived at every node that responds; a node that hangs must not cost its whole timeout.
const maxSettleTime = 500

/**
 * Hands work to `waitUntil` as one promise while any of it is under way, since each call of it takes time
 * on workerd.
 */
const joined = (waitUntil: WaitUntil): WaitUntil => {
  let underWay = 0
  let end = (): void => {}
  const finish = (): void => {
    if (--underWay === 0) end()
  }
  return (work) => {
    if (underWay === 0) waitUntil(new Promise<void>((resolve) => (end = resolve)))
    underWay++
    void work.then(finish, finish)
  }
}

/** Hands work to `waitUntil`; without one, collects it if the process freezes after the response. */
export const backgroundOf = <Args extends readonly unknown[]>({
  options,
  args,
  platform,
}: RequestScope<Args, ScopeOptions<Args>>): Background => {
  const given = options.waitUntil?.(...args) ?? platform.waitUntil
  if (given !== undefined) checkFunction('waitUntil', given)
  const waitUntil = given && joined(given)
  const collected: Promise<unknown>[] = []
  const finish = async (wake: () => void): Promise<void> => {
    // Work that is awaited may add more work.
    while (collected[0]) await collected.shift()
    wake()
  }
  const settled = async (): Promise<void> => {
    if (collected[0]) {
      await sleep(systemClock, maxSettleTime, undefined, (wake) => void finish(wake))
    }
  }
  return {
    add: waitUntil ?? ((work) => platform.freezes && collected.push(work)),
    holdOpen: () => {
      let end: ((last: unknown) => void) | undefined
      try {
        waitUntil?.(new Promise((resolve) => (end = resolve)))
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
  }
}
