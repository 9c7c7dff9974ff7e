import type { Random } from '../../../tools/random.ts'
import type { EventLoop } from './event-loop.ts'
import type { Process } from './process.ts'

/** The part of a process that is late: its timers, the processing of received replies, or both. */
export type Stalled = 'timers' | 'answers' | 'both'

/** Stalls the event loops of processes from time to time. */
export type Stalls = {
  /** Wraps a process so that its event loop can stall. */
  readonly through: (process: Process) => Process
  /** The names of the wrapped processes. */
  readonly names: () => readonly string[]
  /** Delays everything that is due in the process by up to this many ms. Afterwards, all of it runs immediately. */
  readonly stall: (name: string, what: Stalled, time: number) => void
}

// The gap that makes all late timers run before or after all late replies, in ms.
const turn = 0.001

/** The moments until which the timers and the replies of a process are delayed. */
type Until = { timers: number; answers: number }

const withStalls = (
  { now, after }: EventLoop,
  process: Process,
  until: Until,
  lateness: () => number,
): Process => {
  const readWhenDue = (callback: () => void): void => {
    const left = until.answers - now()
    if (left > 0) after(left, () => readWhenDue(callback))
    else process.run(callback)
  }
  const { clock } = process
  return {
    ...process,
    run: readWhenDue,
    clock: {
      ...clock,
      setTimer: (callback, delay) => {
        const ring = (): void => {
          const left = until.timers - now()
          if (left > 0) cancel = after(left, () => process.run(ring))
          else callback()
        }
        let cancel = clock.setTimer(ring, delay + lateness())
        return () => cancel()
      },
    },
  }
}

/** @param lateness - Draws the ms by which a single timer is late. */
export const makeStalls = (loop: EventLoop, lateness: (random: Random) => number): Stalls => {
  const { now, random, trace } = loop
  const untilOf = new Map<string, Until>()
  return {
    through: (process) => {
      const until = { timers: 0, answers: 0 }
      untilOf.set(process.name, until)
      return withStalls(loop, process, until, () => lateness(process.random))
    },
    names: () => [...untilOf.keys()],
    stall: (name, what, time) => {
      const until = untilOf.get(name)!
      const end = now() + time
      const [timers, answers] = random.pick([
        [end, end + turn],
        [end + turn, end],
      ] as const)
      trace.say(() => `${name} stalls for ${time.toFixed(0)} ms: ${what}`)
      // Stalls do not overlap, so the length of a stall is limited.
      if (what !== 'answers' && until.timers <= now()) until.timers = timers
      if (what !== 'timers' && until.answers <= now()) until.answers = answers
    },
  }
}
