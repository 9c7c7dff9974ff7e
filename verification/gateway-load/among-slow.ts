import type { Gateway } from './process.ts'
import type { Kind } from './kinds.ts'
import { load, type Load } from './load.ts'
import { type SlowEnd, slowButInTime, slowClient, slowKinds } from './slow.ts'

/** What became of slow clients, and of others beside them. */
export type AmongSlow = {
  readonly load: Load
  readonly ends: readonly SlowEnd[]
  /** The answers to those who are slow, but in time. */
  readonly inTime: readonly string[]
}

const ofEachKind = 100

/** Loads the gateway while hundreds of clients hold connections and never get done. */
export const observeSlow = async (
  { port, token }: Gateway,
  kind: Kind,
  seconds: number,
): Promise<AmongSlow> => {
  const slow = slowKinds.flatMap((what) =>
    Array.from({ length: ofEachKind }, () => slowClient(port, token, what)),
  )
  const inTime = Array.from({ length: ofEachKind }, () =>
    slowButInTime(port, token, '["INCR","n"]'),
  )
  const beside = await load(`http://127.0.0.1:${port}`, kind, seconds)
  return { load: beside, ends: await Promise.all(slow), inTime: await Promise.all(inTime) }
}
