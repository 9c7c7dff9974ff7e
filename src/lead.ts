import { highest } from './fence.ts'
import type { Answers } from './vote.ts'

/** Whom to ask again, and what their counters are to reach. */
export type Lead = { readonly asked: number[]; readonly fence: number }

/**
 * How a leader asks for a quorum, with as few requests as can be: first the nodes whose counters
 * are lowest, then those that it has not asked last, whose holders have had the most time to give
 * way, then those that failed. Its own are asked along only where that is needed for the counters
 * to agree on a token.
 */
export const planLead = (answers: Answers, quorum: number, wall: number): Lead => {
  const indexes = [...answers.keys()]
  const own = indexes.filter((index) => answers[index]?.status === 'granted')
  const rankOf = (index: number): number => {
    const { error, fence } = answers[index] ?? {}
    return error ? Infinity : (fence ?? Number.MAX_VALUE)
  }
  const others = indexes
    .filter((index) => !own.includes(index))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, quorum - own.length)
  const counters = own.map((index) => answers[index]!.fence!)
  const fence = Math.max(...counters)
  const isAgreed = counters.every((one) => one === fence)
  return isAgreed && others.every((index) => rankOf(index) < fence)
    ? { asked: others, fence }
    : { asked: [...own, ...others], fence: Math.max(wall, highest(answers) + 1) }
}
