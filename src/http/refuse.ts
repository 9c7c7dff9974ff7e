import type { Refusal } from '../reports/results.ts'
import { problem, type RefusalKind } from './problem-details.ts'
import type { RequestScope } from './request-scope.ts'

/** How to answer a refused request. */
type Refused<T> = {
  /** The kind of the refusal when another client holds the key. */
  readonly kind: RefusalKind
  /** The text of that response. Default: the sentence of its kind. */
  readonly detail?: string
  /** Extra headers of that response. */
  readonly headers?: Readonly<Record<string, string>>
  /** Runs the handler without a lock, where `failOpen` allows that. */
  readonly pass: () => Promise<T>
}

/**
 * Answers a request that did not get its lock or its window: by `pass` if no quorum was reached and
 * `failOpen` is set, else by a handler of the options or by a problem response.
 */
export const refuse = async <Args extends readonly unknown[], T>(
  { options, args, accept }: RequestScope<Args>,
  refusal: Refusal,
  { kind, detail, headers, pass }: Refused<T>,
): Promise<T | Response> => {
  const isLocked = refusal.reason === 'locked'
  const handler = isLocked ? options.onLocked : options.onUnavailable
  if (options.failOpen && !isLocked) return pass()
  if (handler) return handler(...args, refusal)
  return isLocked
    ? problem(kind, refusal.retryAfter, accept(), headers, detail)
    : problem('unavailable', refusal.retryAfter, accept())
}
