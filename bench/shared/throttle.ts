import type { Session } from '../../verification/comparison/contestants/contestant.ts'
import { settle } from '../../verification/comparison/observation.ts'

// The most ms that an acquire in place of a throttle may take.
const limit = 30_000

/**
 * Whether the throttle admits the call. If a library has no throttle, an unreleased lock replaces it.
 *
 * @throws any error that is not a rejection.
 */
export const passes = async (
  { acquire, throttle }: Partial<Pick<Session, 'acquire' | 'throttle'>>,
  key: string,
  window: number,
): Promise<boolean> =>
  throttle ? throttle(key, window) : (await settle(acquire!([key]), limit)).state === 'resolved'
