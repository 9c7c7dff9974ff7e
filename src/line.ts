import type { Refusal } from './attempt.ts'

/** One who waits in a line. */
export type Place = {
  readonly line: Line
  /** Is called when another try is worth it at once. */
  readonly wake: () => void
}

/** Those who wait, in order of arrival, and how the first of them was refused last. */
export type Line = Place[] & { refusal?: Refusal }

/**
 * The lines of this process, by what is wanted: first come, first served. Only the first in a line
 * asks the nodes, so that one process is one contender. Who holds the lock is in line no more.
 */
export type Lines = Map<string, Line>

/** Goes to the end of a line. */
export const enter = (lines: Lines, keys: readonly string[], wake: () => void): Place => {
  const id = JSON.stringify(keys)
  const line = lines.get(id) ?? []
  const place: Place = { line, wake }
  line.push(place)
  lines.set(id, line)
  return place
}

/** Leaves a line. If that makes another the first, it may try, unless this one has the lock. */
export const leave = (
  lines: Lines,
  keys: readonly string[],
  place: Place,
  hasWon: boolean,
): void => {
  const { line } = place
  const wasFirst = line[0] === place
  line.splice(line.indexOf(place), 1)
  if (!line[0]) lines.delete(JSON.stringify(keys))
  else if (wasFirst && !hasWon) line[0].wake()
}

/** Wakes the first in a line, if there is one. */
export const wakeFirst = (lines: Lines, keys: readonly string[]): void =>
  lines.get(JSON.stringify(keys))?.[0]?.wake()
