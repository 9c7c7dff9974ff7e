import type { Clock } from '../util/clock.ts'

/** Limits how often messages wake a call in vain. */
export type WakeLimit = {
  /** Wakes the call: at once, or later if that has been in vain too often. */
  readonly wake: () => void
  /** Sets the pause of a call without messages, in ms. */
  readonly setPause: (pause: number) => void
  /** The lock was acquired, so the messages were right. */
  readonly reset: () => void
  /** Cancels a wake-up that is due later. */
  readonly stop: () => void
}

/** The number of wake-ups in quick succession. */
const maxQuick = 5

/** Ms without a wake-up after which the next ones are quick again. */
const calm = 1_000

/**
 * The node that sends the messages may know of no lock where a majority of the others has granted it, for
 * instance after a restart. Then each try is in vain, and its roll-back wakes the next one. So after a few
 * of them, each wake-up is delayed by the pause that was set.
 */
export const wakeLimit = (clock: Clock, onWake: () => void): WakeLimit => {
  let pause = 0
  let count = 0
  let lastAt = -Infinity
  let cancel: (() => void) | undefined

  const fire = (): void => {
    cancel = undefined
    const now = clock.monotonic()
    count = now - lastAt > calm ? 1 : count + 1
    lastAt = now
    onWake()
  }
  return {
    wake: () => {
      if (cancel) return
      const left = lastAt + pause - clock.monotonic()
      if (count < maxQuick || left <= 0) fire()
      else cancel = clock.setTimer(fire, left)
    },
    setPause: (ms) => void (pause = ms),
    reset: () => void (count = 0),
    stop: () => cancel?.(),
  }
}
