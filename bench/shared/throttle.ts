import type { Session } from '../../verification/comparison/contestants/contestant.ts'
import { settle } from '../../verification/comparison/observation.ts'

// Ms for which an acquire that stands in for a throttle may take.
const limit = 30_000

/**
 * Whether the throttle admits the call. Where a library has none, a lock that is not released stands in for it.
 *
 * @throws an error that is no rejection.
 */
export const passes = async (
  { acquire, throttle }: Partial<Pick<Session, 'acquire' | 'throttle'>>,
  key: string,
  window: number,
): Promise<boolean> =>
  throttle ? throttle(key, window) : (await settle(acquire!([key]), limit)).state === 'resolved'
