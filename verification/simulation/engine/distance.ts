import type { Random } from '../../../tools/random.ts'

/** How far processes are from servers. Times are one way, in ms. */
export type Distance = {
  /** Draws how long a message takes. */
  readonly draw: (random: Random, process: string, server: string) => number
  /** The longest time that `draw` returns. */
  readonly max: (process: string, server: string) => number
}

/** Every server is near every process. */
export const nearDistance = (min: number, max: number): Distance => ({
  draw: (random) => random.between(min, max),
  max: () => max,
})

// Times exceed the usual one by up to this share, and the way to the network takes up to this many ms.
const variation = 0.1
const lastMile = 1

/** The time depends on the regions of both. `roundTrip` returns the time there and back. */
export const regionalDistance = (
  roundTrip: (process: string, server: string) => number,
): Distance => ({
  draw: (random, process, server) =>
    (roundTrip(process, server) / 2) * random.between(1, 1 + variation) +
    random.between(0, lastMile),
  max: (process, server) => (roundTrip(process, server) / 2) * (1 + variation) + lastMile,
})
