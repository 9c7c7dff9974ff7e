import TinyQueue from 'tinyqueue'
import type { Random } from '../../../tools/random.ts'
import { turn } from './settled.ts'
import type { Trace } from './trace.ts'

/** A callback that is due at a moment of simulated time. */
type ScheduledEvent = { readonly at: number; readonly order: number; run: (() => void) | undefined }

/** Simulated time in ms, and the scheduled events. The code under test reads the clocks of its process instead. */
export type EventLoop = {
  readonly now: () => number
  readonly random: Random
  readonly trace: Trace
  /** Schedules a callback, `delay` ms from now. Returns a function that cancels it. */
  readonly after: (delay: number, run: () => void) => () => void
  /** Announces that an event resumes code under test, which must run before time advances. */
  readonly wake: () => void
  /**
   * Runs all events up to that moment, then sets the time to it. Stops earlier if `isOver` returns true after an event.
   */
  readonly runUntil: (end: number, isOver?: () => boolean) => Promise<void>
}

/** @param settled - Resolves once all promise callbacks that an event has caused have run. */
export const makeEventLoop = (
  random: Random,
  trace: Trace,
  settled: () => Promise<void> = turn,
): EventLoop => {
  // Events at the same moment run in the order in which they were scheduled.
  const queue = new TinyQueue<ScheduledEvent>([], (a, b) => a.at - b.at || a.order - b.order)
  let now = 0
  let order = 0
  let isAwake = false
  return {
    now: () => now,
    random,
    trace,
    after: (delay, run) => {
      const event: ScheduledEvent = { at: now + Math.max(0, delay), order: order++, run }
      queue.push(event)
      return () => {
        event.run = undefined
      }
    },
    wake: () => {
      isAwake = true
    },
    runUntil: async (end, isOver = () => false) => {
      await settled()
      for (let next = queue.peek(); next && next.at <= end; next = queue.peek()) {
        queue.pop()
        if (!next.run) continue
        now = next.at
        trace.at(now)
        next.run()
        if (isAwake) await settled()
        isAwake = false
        if (isOver()) return
      }
      now = Math.max(now, end)
      trace.at(now)
    },
  }
}
