import type { Refusal } from '../attempt.ts'
import type { Exchange } from './exchange.ts'
import type { RequestOptions } from './options.ts'
import { problem, type ProblemStatus } from './problem.ts'

/** The answer to a request that did not get through. */
export const refuse = async <Args extends readonly unknown[]>(
  { onLocked, onUnavailable }: RequestOptions<Args>,
  request: Args,
  { accept }: Exchange,
  result: Refusal,
  status: ProblemStatus,
  headers?: Readonly<Record<string, string>>,
): Promise<Response> => {
  const isLocked = result.reason === 'locked'
  const answer = isLocked ? onLocked : onUnavailable
  if (answer) return answer(...request, result)
  return isLocked
    ? problem(status, result.retryAfter, accept, headers)
    : problem(503, result.retryAfter, accept)
}
