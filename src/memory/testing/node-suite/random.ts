/** Random numbers from a seed. */
export type Random = {
  /** Returns a whole number from 0 to `max`. */
  readonly whole: (max: number) => number
  readonly pick: <T>(list: readonly T[]) => T
}

/** Creates a generator that returns the same numbers for the same seed. The algorithm is mulberry32. */
export const randomFrom = (seed: number): Random => {
  let state = seed
  const unit = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (max: number): number => Math.floor(unit() * (max + 1))
  return { whole, pick: (list) => list[whole(list.length - 1)]! }
}
