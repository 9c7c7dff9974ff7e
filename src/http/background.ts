import type { WaitUntil } from '../options/call-options.ts'
import { sleep, systemClock } from '../util/clock.ts'
import type { RequestOptions } from './options.ts'
import type { Exchange } from './platform.ts'

/** The work of one request that outlives the call that started it. It never rejects. */
export type Background = {
  readonly add: WaitUntil
  /**
   * Keeps the request alive from now on, also when the client goes: workerd drops what nobody waits
   * for. To be ended by the last work, as whose result it resolves when the response may go out.
   *
   * @see {@link https://github.com/cloudflare/workerd/issues/5062}
   */
  readonly open: () => (last: Promise<unknown>) => Promise<unknown>
  /** Resolves when nothing is left to do that the runtime would not do after the response. */
  readonly settled: () => Promise<void>
}

// Ms for which work is waited for where the process freezes: what nodes that respond were sent has
// arrived by then, and one that hangs must not delay the response for as long as its timeout.
const mostSettling = 500

/** Hands work to the runtime's `waitUntil`; waits for it where the process freezes otherwise. */
export const background = <Args extends readonly unknown[]>(
  options: RequestOptions<Args>,
  request: Args,
  exchange: Exchange,
): Background => {
  const waitUntil = options.waitUntil ? options.waitUntil(...request) : exchange.waitUntil
  const freezes = exchange.freezes && !waitUntil
  const collected: Promise<unknown>[] = []
  const finish = async (): Promise<void> => {
    // What is waited for may bring more of it.
    while (collected[0]) await collected.shift()
  }
  const settled = (): Promise<void> =>
    sleep(systemClock, mostSettling, undefined, (wake) => void finish().then(wake))
  return {
    add: waitUntil ?? ((work) => freezes && collected.push(work)),
    open: () => {
      let end: ((last: Promise<unknown>) => void) | undefined
      try {
        waitUntil?.(new Promise((resolve) => (end = resolve)))
        if (end) return async (last) => end!(last)
      } catch {
        // It is waited for, then.
      }
      return (last) => last.then(settled)
    },
    settled,
  }
}
