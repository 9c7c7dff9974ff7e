import { checkNumber, type Checks, checkTime } from '../util/validate.ts'

/** For how long a lock is extended while work goes on. */
export type KeepAliveOptions = {
  /** The longest time (ms) to hold the lock, even if the work is not done. Default: 10 minutes. */
  readonly maxHold?: number | undefined
  /** The maximum number of extensions. Default: no limit but `maxHold`. */
  readonly maxExtensions?: number | undefined
}

/** Their checks. */
export const keepAliveChecks: Checks = {
  maxHold: checkTime,
  maxExtensions: (option: string, given: number) => checkNumber(option, given, 0),
}

/** The options, checked and complete. */
export type KeepAliveLimits = { readonly maxHold: number; readonly maxExtensions: number }

/** The longest time (ms) to hold a lock: fixed, or read each time it is needed. */
export type MaxHold = number | (() => number) | undefined

/** The options, which were checked before anything was locked, with their defaults. */
export const keepAliveLimits = ({
  maxHold = 600_000,
  maxExtensions = Infinity,
}: KeepAliveOptions): KeepAliveLimits => ({ maxHold, maxExtensions })
