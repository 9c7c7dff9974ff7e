import type { Random } from '../../../tools/random.ts'

/** The distances between processes and servers: one-way times in ms. */
export type Distance = {
  /** Draws the travel time of a message. */
  readonly draw: (random: Random, process: string, server: string) => number
  /** The longest time that `draw` can return. */
  readonly max: (process: string, server: string) => number
}

/** Every server is near every process. */
export const nearDistance = (min: number, max: number): Distance => ({
  draw: (random) => random.between(min, max),
  max: () => max,
})

// Travel times exceed the usual time by up to this share, plus up to this many ms for the last mile.
const variation = 0.1
const lastMile = 1

/** The time depends on the regions of process and server. `roundTrip` returns the time there and back. */
export const regionalDistance = (
  roundTrip: (process: string, server: string) => number,
): Distance => ({
  draw: (random, process, server) =>
    (roundTrip(process, server) / 2) * random.between(1, 1 + variation) +
    random.between(0, lastMile),
  max: (process, server) => (roundTrip(process, server) / 2) * (1 + variation) + lastMile,
})
