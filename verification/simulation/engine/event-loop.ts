import TinyQueue from 'tinyqueue'
import type { Random } from '../../../tools/random.ts'
import type { Trace } from './trace.ts'

/** One thing that is to happen at a moment of true time. */
type Happening = { readonly at: number; readonly order: number; run: (() => void) | undefined }

/** True time, in ms, and what happens in it. Nobody in the world can read it. */
export type World = {
  readonly now: () => number
  readonly random: Random
  readonly trace: Trace
  /** Has it happen so many ms from now. Returns what takes that back. */
  readonly after: (delay: number, run: () => void) => () => void
  /** Says that code of a process has been woken, which is to run before time goes on. */
  readonly wake: () => void
  /** Lets time pass until nothing is left to happen, or until then. */
  readonly passUntil: (end: number) => Promise<void>
}

/** Lets all code run that a happening has woken: promises are done when the event loop turns. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const makeWorld = (random: Random, trace: Trace): World => {
  const queue = new TinyQueue<Happening>([], (a, b) => a.at - b.at || a.order - b.order)
  let now = 0
  let order = 0
  let isAwake = false
  return {
    now: () => now,
    random,
    trace,
    after: (delay, run) => {
      const happening: Happening = { at: now + Math.max(0, delay), order: order++, run }
      queue.push(happening)
      return () => {
        happening.run = undefined
      }
    },
    wake: () => {
      isAwake = true
    },
    passUntil: async (end) => {
      await settled()
      for (let next = queue.peek(); next && next.at <= end; next = queue.peek()) {
        queue.pop()
        if (!next.run) continue
        now = next.at
        trace.at(now)
        next.run()
        if (isAwake) await settled()
        isAwake = false
      }
      now = Math.max(now, end)
      trace.at(now)
    },
  }
}
