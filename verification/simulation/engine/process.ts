import type { Clock } from '../../../src/util/clock.ts'
import type { Weather } from '../workload/fault-rates.ts'
import type { World } from './event-loop.ts'

/** A process that runs the client: its own clock, its own way to stand still or to end. */
export type Process = {
  readonly name: string
  readonly clock: Clock
  /** How fast its clock runs: 1 is true. */
  readonly rate: number
  readonly isAlive: () => boolean
  readonly isPaused: () => boolean
  /** Runs it as soon as the process runs; never if it has ended. */
  readonly enter: (run: () => void) => void
  /** Waits, by true time, as the code under test does between its steps. */
  readonly rest: (time: number) => Promise<void>
  readonly pause: (time: number, isFrozen: boolean) => void
  readonly jump: (time: number) => void
  readonly kill: () => void
  /** How many timers the client has running. */
  readonly timers: () => number
}

/** The day on which every history begins, by clocks that are right. */
export const epoch = 1_800_000_000_000

/**
 * Clocks that keep to `driftFactor` differ by less than it: half of it to either side. Many are as
 * far off as they may be.
 */
export const drawRate = ({ random }: World, { drift }: Weather, driftFactor: number): number =>
  1 +
  drift *
    driftFactor *
    (random.chance(0.5) ? random.pick([-0.45, 0.45]) : random.between(-0.45, 0.45))

export const startProcess = (
  world: World,
  name: string,
  { rate, skew }: { readonly rate: number; readonly skew: number },
): Process => {
  const { now, after, wake, random, trace } = world
  let isAlive = true
  let jumped = 0
  let frozen = 0
  let pausedUntil = 0
  let held: (() => void)[] = []
  let running = 0

  const enter = (run: () => void): void => {
    if (!isAlive) return
    if (now() < pausedUntil) held.push(run)
    else {
      wake()
      run()
    }
  }
  const resume = (): void => {
    if (now() < pausedUntil) return
    const waiting = held
    held = []
    for (const run of waiting) after(0, () => enter(run))
  }
  return {
    name,
    rate,
    isAlive: () => isAlive,
    isPaused: () => now() < pausedUntil,
    enter,
    rest: (time) => new Promise((resolve) => after(time, () => enter(resolve))),
    pause: (time, isFrozen) => {
      if (!isAlive || now() < pausedUntil) return
      trace.say(() => `${name} stands still for ${time.toFixed(0)} ms${isFrozen ? ', frozen' : ''}`)
      pausedUntil = now() + time
      if (isFrozen) frozen += time
      after(time, resume)
    },
    jump: (time) => {
      trace.say(() => `the clock of ${name} jumps by ${time.toFixed(0)} ms`)
      jumped += time
    },
    kill: () => {
      isAlive = false
    },
    timers: () => running,
    clock: {
      wall: () => Math.floor(epoch + skew + jumped + rate * now()),
      monotonic: () => rate * now() - frozen,
      setTimer: (callback, delay) => {
        running++
        let isOver = false
        const end = (): boolean => {
          if (isOver) return false
          isOver = true
          running--
          return true
        }
        // Timers of real runtimes come up to a millisecond early.
        const early = random.chance(0.2) ? random.unit() : 0
        const cancel = after((delay - early) / rate, () =>
          enter(() => {
            if (end()) callback()
          }),
        )
        return () => {
          if (end()) cancel()
        }
      },
    },
  }
}
