import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** A source of random numbers. The same seed always yields the same numbers. */
export type Random = {
  /** From 0 up to, but not including, 1. */
  readonly unit: () => number
  readonly between: (min: number, max: number) => number
  /** A whole number, both ends included. */
  readonly whole: (min: number, max: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  /** Creates a separate, named source that does not depend on the numbers drawn so far. */
  readonly fork: (name: string) => Random
}

/** The FNV-1a hash of a string. */
const hashOf = (text: string, start: number): number => {
  let hash = start ^ 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

export const randomFrom = (seed: number): Random => {
  // Spread neighboring seeds. Otherwise, their sequences would start with similar numbers.
  const generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b1) ^ (seed >>> 7))
  generator.jump()
  const unit = (): number => (generator.next() >>> 0) / 2 ** 32
  const between = (min: number, max: number): number => min + (max - min) * unit()
  const whole = (min: number, max: number): number => Math.floor(between(min, max + 1))
  return {
    unit,
    between,
    whole,
    chance: (probability) => unit() < probability,
    pick: (list) => list[whole(0, list.length - 1)]!,
    fork: (name) => randomFrom(hashOf(name, seed)),
  }
}
