import type { Bench } from '../bench.ts'
import { acquireOf, longTtl } from '../commands.ts'
import { clockTolerance } from '../compare.ts'

/** The time on a client clock that is far ahead. */
const farAhead = 2 ** 52
/** The allowed error in ms, because the clock can be coarse, or be read too early or too late. */
const slack = 50

/** The range of possible values for how far the node's clock is ahead of ours, in ms. */
export type Offset = { readonly min: number; readonly max: number }

/** The most likely value for how far the node's clock is ahead of ours, in ms. */
export const aheadOf = ({ min, max }: Offset): number => Math.round((min + max) / 2)

let keys = 0

/** The counter of a new key after a client with this time has acquired it. */
const counterOf = async (bench: Bench, minCounter: number): Promise<number> => {
  const about = bench.about([`clock-${++keys}`], 'clock')
  const command = acquireOf(about, { ttl: longTtl, minCounter })
  const reply = await bench.run(command)
  if (reply.status !== 'granted') return bench.fail('a free key was not granted', [command, reply])
  return reply.counter
}

/** Reads the node's clock from a counter, which rises to the client's time, but to at most 5 s ahead of that clock. */
export const readClock = async (bench: Bench): Promise<Offset> => {
  const before = Date.now()
  const clock = (await counterOf(bench, farAhead)) - clockTolerance
  return { min: clock - Date.now() - slack, max: clock - before + slack }
}

/** Checks that the clock is steady: each new range must overlap with the known one. @returns the overlap. */
export const checkSteady = (bench: Bench, known: Offset | undefined, now: Offset): Offset => {
  if (!known) return now
  const overlap = { min: Math.max(known.min, now.min), max: Math.min(known.max, now.max) }
  if (overlap.min > overlap.max) {
    const by = Math.round(now.min > known.max ? now.min - known.max : now.max - known.min)
    bench.fail(`the clock of the node jumped by about ${by} ms, or its resolution is that coarse`)
  }
  return overlap
}

const readings = 20

/**
 * Tests that a client's clock moves counters to at most 5 s from the node's clock, and that the node's clock is correct
 * and steady.
 */
export const testClock = async (bench: Bench): Promise<void> => {
  const begun = Date.now()
  const highest = await counterOf(bench, farAhead)
  const lowest = await counterOf(bench, 0)
  const spread = highest - lowest - 2 * clockTolerance
  if (Math.abs(spread) > Date.now() - begun + 2 * slack)
    bench.fail(
      'a client with a wrong clock moves a counter by more than 5 s from the clock of the node',
      [{ highest, lowest }],
    )
  let known = await readClock(bench)
  if (known.min > clockTolerance || known.max < -clockTolerance)
    bench.fail(`the clock of the node is ${aheadOf(known)} ms ahead of the clock of this test`)
  for (let reading = 0; reading < readings; reading++) {
    known = checkSteady(bench, known, await readClock(bench))
  }
}
