import type { Refusal } from '../reports/results.ts'
import { assertOption } from '../util/validate.ts'
import type { RefusalReason, RequestRefusal } from './refusals.ts'
import { forRequest, type RequestKey, type RequestOptions } from './request-options.ts'
import type { Entry, Gate, Visit } from './with-request.ts'

/** A key that a request has to acquire. */
export type Key = Exclude<RequestKey, null>

/** Reads the option `key`. */
export const keyOf =
  <Args extends readonly unknown[], Reason extends RefusalReason>({
    key: option,
  }: RequestOptions<Args, Reason>): Gate<Args, Key>['keyOf'] =>
  async ({ scope }) => {
    const key = await forRequest(option, scope.args)
    // A mistake, such as a header that is missing.
    assertOption(key !== undefined, 'key', 'text, an array or null', key)
    return { key }
  }

/** Answers a request that did not get its key: refuses it, or lets it pass if `failOpen` says so. */
export const refused = <Args extends readonly unknown[]>(
  visit: Visit<Args>,
  { reason, retryAfter, nodes }: Refusal,
  failOpen: boolean | undefined,
  contended: RefusalReason,
  detail?: Partial<RequestRefusal>,
  headers?: Readonly<Record<string, string>>,
): Entry => {
  const isContended = reason === 'locked'
  const outcome = isContended ? contended : reason
  return {
    hasEntered: false,
    outcome,
    answer: () => {
      if (!isContended && failOpen) return visit.pass()
      const more = { retryAfter, nodes, ...(isContended && detail) }
      return visit.refuse(outcome, more, isContended ? headers : undefined)
    },
  }
}
