import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Everything random in a history: the same seed gives the same numbers. */
export type Random = {
  /** From 0 to 1. */
  readonly unit: () => number
  readonly between: (least: number, most: number) => number
  /** A whole number, both ends included. */
  readonly whole: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
}

export const randomFrom = (seed: number): Random => {
  // Neighbouring seeds are to begin far apart.
  const generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b1) ^ (seed >>> 7))
  generator.jump()
  const unit = (): number => (generator.next() >>> 0) / 2 ** 32
  const between = (least: number, most: number): number => least + (most - least) * unit()
  const whole = (least: number, most: number): number => Math.floor(between(least, most + 1))
  return {
    unit,
    between,
    whole,
    chance: (probability) => unit() < probability,
    pick: (list) => list[whole(0, list.length - 1)]!,
  }
}
