import { checkNumber, checkTime } from '../util/validate.ts'

/** For how long a lock is extended while work goes on. */
export type KeepAliveOptions = {
  /** The longest time (ms) to hold the lock, even if the work is not done. Default: 10 minutes. */
  readonly maxHold?: number | undefined
  /** The maximum number of extensions. Default: no limit but `maxHold`. */
  readonly maxExtensions?: number | undefined
}

/** The limits of one lock. */
export type KeepAliveLimits = { readonly maxHold: number; readonly maxExtensions: number }

/** The longest time (ms) to hold a lock: fixed, or read each time it is needed. */
export type MaxHold = number | (() => number) | undefined

/** The options, checked and complete. */
export const keepAliveLimits = ({
  maxHold = 600_000,
  maxExtensions = Infinity,
}: KeepAliveOptions): KeepAliveLimits => {
  checkTime('maxHold', maxHold)
  checkNumber('maxExtensions', maxExtensions, 0)
  return { maxHold, maxExtensions }
}
