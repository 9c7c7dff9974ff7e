import type { Refusal } from '../reports/results.ts'
import type { Background } from './background.ts'
import type { RequestOptions } from './options.ts'
import type { Exchange } from './platform.ts'
import { problem, type ProblemStatus } from './problem-details.ts'

/** What comes of a request that did not get through: the answer to it, or it passes all the same. */
export const refuse = async <Args extends readonly unknown[], T>(
  { failOpen, onLocked, onUnavailable }: RequestOptions<Args>,
  request: Args,
  { accept }: Exchange,
  work: Background,
  result: Refusal,
  pass: () => Promise<T>,
  lockedStatus: ProblemStatus,
  headers?: Readonly<Record<string, string>>,
): Promise<T | Response> => {
  const isLocked = result.reason === 'locked'
  const answer = isLocked ? onLocked : onUnavailable
  try {
    if (failOpen && !isLocked) return await pass()
    if (answer) return await answer(...request, result)
    const status = isLocked ? lockedStatus : 503
    return problem(status, result.retryAfter, accept, isLocked ? headers : {})
  } finally {
    await work.settled()
  }
}
