import type { Recording } from '../world/recording.ts'

// Nothing happens in most of a run: a holder works, or is paused. The time scale shortens
// such gaps, for the timeline and for the speed at which the page plays the run.

/** A gap that is shortened: its times, and where it is drawn. */
export type Gap = {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
}

/** Places on the timeline, in ms of a run whose gaps are shortened. */
export type TimeScale = {
  readonly length: number
  readonly gaps: readonly Gap[]
  readonly placeOf: (time: number) => number
  readonly timeAt: (place: number) => number
}

// Ms. A longer gap is shortened to this.
const [longestGap, shortGap] = [60, 25]

const momentsOf = (recording: Recording): number[] => {
  const { messages, nodes, phases, facts, end } = recording
  const moments = new Set([0, end])
  for (const { sentAt, arrivedAt, executedAt, answeredAt, givenUpAt } of messages) {
    for (const at of [sentAt, arrivedAt, executedAt, answeredAt, givenUpAt]) {
      if (at !== undefined) moments.add(at)
    }
  }
  for (const { at, slots } of nodes) {
    moments.add(Math.max(0, at))
    for (const { expiresAt, holder } of slots) {
      if (holder !== undefined && expiresAt < end) moments.add(expiresAt)
    }
  }
  for (const { at } of [...phases, ...facts]) moments.add(at)
  return [...moments].toSorted((a, b) => a - b)
}

export const makeTimeScale = (recording: Recording): TimeScale => {
  const moments = momentsOf(recording)
  const gaps: Gap[] = []
  let saved = 0
  for (const [index, to] of moments.entries()) {
    const from = moments[index - 1] ?? to
    if (to - from <= longestGap) continue
    const start = from - saved
    gaps.push({ from, to, start, end: start + shortGap })
    saved += to - from - shortGap
  }
  const placeOf = (time: number): number => {
    let place = time
    for (const { from, to } of gaps) {
      if (time >= to) place -= to - from - shortGap
      else if (time > from) place -= (time - from) * (1 - shortGap / (to - from))
    }
    return place
  }
  const timeAt = (place: number): number => {
    let time = place
    for (const { from, to, start, end } of gaps) {
      if (place >= end) time += to - from - shortGap
      else if (place > start) time += (place - start) * ((to - from) / shortGap - 1)
    }
    return time
  }
  return { length: placeOf(recording.end), gaps, placeOf, timeAt }
}
