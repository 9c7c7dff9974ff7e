import type { Step } from '../story/step.ts'
import type { TimeScale } from './time-scale.ts'

/** The speeds that the page offers, in ms of the run per second, and the first one. */
export const speeds = [5, 10, 25, 50, 100, 250] as const
export const usualSpeed = 25

/** The place on the time scale after so many real ms. */
export const advance = (place: number, elapsed: number, speed: number, scale: TimeScale): number =>
  Math.min(scale.length, place + (elapsed / 1_000) * speed)

/** The moments of the key steps, each once. */
export const momentsOf = (steps: readonly Step[]): readonly number[] => [
  ...new Set(steps.filter(({ level }) => level === 'key').map(({ at }) => at)),
]

// Ms of the run within which two moments are the same, since places are rounded.
const same = 0.001

/** The next moment, or the end. */
export const nextMoment = (moments: readonly number[], time: number, end: number): number =>
  moments.find((at) => at > time + same) ?? end

/** The moment before, or the beginning. */
export const previousMoment = (moments: readonly number[], time: number): number =>
  moments.findLast((at) => at < time - same) ?? 0

/** The key steps up to a moment. */
export const stepsUntil = (steps: readonly Step[], time: number): readonly Step[] =>
  steps.filter(({ at, level }) => level === 'key' && at <= time + same)

/** The sentences of the last moment: what the page says now. */
export const sentencesAt = (steps: readonly Step[], time: number): readonly Step[] => {
  const past = stepsUntil(steps, time)
  const last = past.at(-1)
  return last ? past.filter(({ at }) => at === last.at) : []
}
