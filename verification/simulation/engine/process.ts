import type { Clock } from '../../../src/util/clock.ts'
import type { Random } from '../../../tools/random.ts'
import type { FaultRates } from '../workload/fault-rates.ts'
import type { EventLoop } from './event-loop.ts'

/** A simulated process that runs a client. It has its own clocks, and can be paused or killed. */
export type Process = {
  readonly name: string
  readonly clock: Clock
  /** The random numbers of its client and its timers. */
  readonly random: Random
  /** The speed of its clocks; 1 is correct. */
  readonly rate: number
  readonly isAlive: () => boolean
  /** Runs a callback: after the pause if the process is paused, and never if it was killed. */
  readonly run: (callback: () => void) => void
  /** Waits this many ms of simulated time. */
  readonly sleep: (time: number) => Promise<void>
  /** Pauses the process. Its monotonic clock stops meanwhile if `isFrozen`, as in a suspended VM. */
  readonly pause: (time: number, isFrozen: boolean) => void
  /** Steps its wall clock by this many ms. */
  readonly jumpClock: (time: number) => void
  readonly kill: () => void
  /** Lets the code of the process resume this many more times, then kills the process instead. */
  readonly killAfter: (resumes: number) => void
  /** The number of the client's running timers. */
  readonly activeTimers: () => number
}

/** The time at which every history begins, according to an accurate clock. */
export const epoch = 1_800_000_000_000

// The minimum delay of a timer, in ms. A shorter delay can be lost to rounding.
const minTimer = 0.01

/**
 * Two clocks that comply with `driftFactor` differ by less than that factor, so each can be off by just under half of
 * it. Half of the clocks are off by nearly that maximum.
 */
export const drawClockRate = (random: Random, { drift }: FaultRates, driftFactor: number): number =>
  1 +
  drift *
    driftFactor *
    (random.chance(0.5) ? random.pick([-0.45, 0.45]) : random.between(-0.45, 0.45))

export const startProcess = (
  loop: EventLoop,
  name: string,
  { rate, skew }: { readonly rate: number; readonly skew: number },
): Process => {
  const { now, after, wake, trace } = loop
  const random = loop.random.fork(name)
  let isAlive = true
  let jumped = 0
  let frozen = 0
  let pausedUntil = 0
  let deferred: (() => void)[] = []
  let activeTimers = 0
  let resumesLeft = Infinity

  const run = (callback: () => void): void => {
    if (!isAlive) return
    if (now() < pausedUntil) deferred.push(callback)
    else if (--resumesLeft < 0) {
      trace.say(() => `${name} crashes`)
      isAlive = false
    } else {
      wake()
      callback()
    }
  }
  const resume = (): void => {
    if (now() < pausedUntil) return
    const callbacks = deferred
    deferred = []
    for (const callback of callbacks) after(0, () => run(callback))
  }
  const setTimer: Clock['setTimer'] = (callback, delay) => {
    activeTimers++
    let isOver = false
    const end = (): boolean => {
      if (isOver) return false
      isOver = true
      activeTimers--
      return true
    }
    // Timers of real runtimes fire up to a millisecond early.
    const early = random.chance(0.2) ? random.unit() : 0
    const cancel = after(Math.max(minTimer, delay - early) / rate, () =>
      run(() => {
        if (end()) callback()
      }),
    )
    return () => {
      if (end()) cancel()
    }
  }
  return {
    name,
    random,
    rate,
    isAlive: () => isAlive,
    run,
    sleep: (time) => new Promise((resolve) => after(time, () => run(resolve))),
    pause: (time, isFrozen) => {
      if (!isAlive || now() < pausedUntil) return
      trace.say(() => `${name} stands still for ${time.toFixed(0)} ms${isFrozen ? ', frozen' : ''}`)
      pausedUntil = now() + time
      if (isFrozen) frozen += time
      after(time, resume)
    },
    jumpClock: (time) => {
      trace.say(() => `the clock of ${name} jumps by ${time.toFixed(0)} ms`)
      jumped += time
    },
    kill: () => {
      isAlive = false
    },
    killAfter: (resumes) => {
      resumesLeft = resumes
    },
    activeTimers: () => activeTimers,
    clock: {
      wall: () => Math.floor(epoch + skew + jumped + rate * now()),
      monotonic: () => rate * now() - frozen,
      setTimer,
    },
  }
}
