import type { Context } from 'hono'
import type { Refusal } from '../attempt.ts'
import { problem, type ProblemStatus } from '../http/problem.ts'

/** Makes the response to a request that did not get through. */
export type OnRefusal = (c: Context, result: Refusal) => Response | Promise<Response>

/** What a middleware does with a refusal. */
export type RefusalOptions = {
  /** Answers when somebody else holds the lock or the window. Default: 409, a throttle 429. */
  readonly onLocked?: OnRefusal
  /** Answers when too few nodes can be reached. Default: 503. */
  readonly onUnavailable?: OnRefusal
}

/** The answer to a request that did not get through. */
export const refuse = (
  c: Context,
  result: Refusal,
  { onLocked, onUnavailable }: RefusalOptions,
  status: ProblemStatus,
  headers?: Readonly<Record<string, string>>,
): Response | Promise<Response> => {
  const isLocked = result.reason === 'locked'
  const answer = isLocked ? onLocked : onUnavailable
  if (answer) return answer(c, result)
  return isLocked ? problem(status, result.retryAfter, headers) : problem(503, result.retryAfter)
}
