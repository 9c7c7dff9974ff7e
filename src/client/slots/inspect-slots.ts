import { inspect, type Inspection } from '../inspect.ts'
import type { Redlock } from '../redlock.ts'
import { checkText } from '../../protocol/keys.ts'
import { checkChoice, checkInteger, checkOptions, maxLimit } from '../../util/validate.ts'
import { slotNumbers } from './reading.ts'
import { slotKey } from './slot-acquisition.ts'

export type InspectSlotsOptions = {
  /** The `limit` of the calls: the maximum number of holders, or of passes per window. */
  readonly limit: number
  /** The type of the key. Default: `lock`. */
  readonly kind?: 'lock' | 'throttle' | undefined
}

/** The state of a lock, or of a throttle window, with a `limit`. */
export type SlotsInspection = {
  /**
   * The number of calls that can still acquire the lock, or pass the throttle. Slots with too few answers do not count.
   */
  readonly remaining: number
  /** The state of each slot, in order. */
  readonly slots: readonly Inspection[]
}

const checks = {
  limit: (option: string, given: number) => checkInteger(option, given, 1, maxLimit),
  kind: checkChoice('lock', 'throttle'),
}

/**
 * Asks every node about each slot of a lock or throttle with a `limit`. Each slot costs one request per node.
 *
 * @throws `TypeError` or `RangeError` if an argument is wrong. The message names it.
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
