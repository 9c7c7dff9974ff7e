import { type Clock, systemClock } from '../../src/util/clock.ts'

/** By so many times far nodes are farther away than they say, and the clocks of their clients slower. */
export const farSlowness = 3

/**
 * A clock by which everything on this machine is so many times faster: a limit of the client in ms then leaves
 * room for a machine that is busy.
 */
export const slowClock = (slowness: number): Clock => {
  const [wall, monotonic] = [systemClock.wall(), systemClock.monotonic()]
  return {
    wall: () => Math.floor(wall + (systemClock.wall() - wall) / slowness),
    monotonic: () => monotonic + (systemClock.monotonic() - monotonic) / slowness,
    setTimer: (callback, delay) => systemClock.setTimer(callback, delay * slowness),
  }
}
