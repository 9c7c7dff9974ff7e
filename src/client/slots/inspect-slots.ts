import { inspect, type Inspection } from '../inspect.ts'
import type { Redlock } from '../redlock.ts'
import { checkText } from '../../protocol/keys.ts'
import { checkChoice, checkInteger, checkOptions, maxLimit } from '../../util/validate.ts'
import { slotNumbers } from './reading.ts'
import { slotKey } from './slot-acquisition.ts'

export type InspectSlotsOptions = {
  /** How many can hold the lock, or pass per window: the `limit` of its calls. */
  readonly limit: number
  /** What the key belongs to. Default: `lock`. */
  readonly kind?: 'lock' | 'throttle' | undefined
}

/** The state of a lock or of a window with a `limit`. */
export type SlotsInspection = {
  /** How many can still acquire the lock, or pass. Slots about which too few nodes answered do not count. */
  readonly remaining: number
  /** Slot by slot, in order. */
  readonly slots: readonly Inspection[]
}

const checks = {
  limit: (option: string, given: number) => checkInteger(option, given, 1, maxLimit),
  kind: checkChoice('lock', 'throttle'),
}

/**
 * Asks every node about each slot of a lock or of a throttle with a `limit`: that many requests per node.
 *
 * @throws `TypeError` or `RangeError` when an argument is wrong; the message names it.
 * @example
 * ```ts
 * const { remaining } = await inspectSlots(redlock, 'api:ada', { kind: 'throttle', limit: 10 })
 * ```
 */
export const inspectSlots = async (
  redlock: Redlock,
  key: string,
  options: InspectSlotsOptions,
): Promise<SlotsInspection> => {
  checkText('key', key, 1)
  checkOptions('inspectSlots()', options, checks)
  const { limit, kind } = options
  checks.limit('limit', limit)
  const slots = await Promise.all(
    slotNumbers(limit).map((slot) => inspect(redlock, slotKey(key, slot), { kind })),
  )
  return { remaining: slots.filter(({ state }) => state === 'free').length, slots }
}
