import type { Refusal } from '../acquire/attempt.ts'

/** One who waits in a line. */
export type Place = {
  readonly line: Line
  /** Whether another try was said to be worth it, since the last one began. */
  isDue: boolean
  /** Ends the sleep before the next try, if there is one. */
  wake: (() => void) | undefined
}

/** Those who wait, in order of arrival, and how the first of them was refused last. */
export type Line = { readonly id: string; readonly places: Place[]; refusal?: Refusal }

/**
 * The lines of this process, by what is wanted: first come, first served. Only the first in a line
 * asks the nodes, so that one process is one contender. Who holds the lock is in line no more.
 */
export type Lines = Map<string, Line>

/** Several keys in a way that no key is: half a surrogate pair is in none. */
const idOf = (keys: readonly string[]): string =>
  keys.length > 1 ? `\ud800${JSON.stringify(keys)}` : keys[0]!

const call = (place: Place | undefined): void => {
  if (!place) return
  place.isDue = true
  place.wake?.()
}

/** Goes to the end of a line. */
export const enter = (lines: Lines, keys: readonly string[]): Place => {
  const id = idOf(keys)
  let line = lines.get(id)
  if (!line) lines.set(id, (line = { id, places: [] }))
  const place: Place = { line, isDue: false, wake: undefined }
  line.places.push(place)
  return place
}

/** Leaves a line. If that makes another the first, it may try, unless this one has the lock. */
export const leave = (lines: Lines, place: Place, hasWon: boolean): void => {
  const { id, places } = place.line
  const index = places.indexOf(place)
  // Most are the first, and many alone.
  if (index) places.splice(index, 1)
  else places.shift()
  if (!places[0]) lines.delete(id)
  else if (!index && !hasWon) call(places[0])
}

/** Wakes the first in a line, if there is one. */
export const wakeFirst = (lines: Lines, keys: readonly string[]): void => {
  if (lines.size > 0) call(lines.get(idOf(keys))?.places[0])
}
