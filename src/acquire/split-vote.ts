import { highest } from '../quorum/fencing-token.ts'
import type { Answers } from '../quorum/vote.ts'
import type { NodeReport } from '../reports/errors.ts'

/** Whom to ask again, and what their counters are to reach. */
export type Lead = { readonly asked: readonly number[]; readonly fence: number }

/** Whom to ask before all others, and whose lock there is reason enough to ask nobody else. */
export type Lookout = {
  readonly index: number
  readonly holder?: string | undefined
  /** Ms for which it is asked alone at most. */
  readonly patience?: number | undefined
}

type Told = NodeReport | undefined

/**
 * The nodes that a leader has, and those that it needs besides: first those whose counters are
 * lowest, then those that it has not asked last, whose holders have had the most time to give way,
 * then those that failed.
 */
const supporters = (answers: Answers, quorum: number, isOwn: (one: Told) => boolean) => {
  const fenceOf = (index: number): number => answers[index]?.fence ?? Number.MAX_VALUE
  const rankOf = (index: number): number => (answers[index]?.error ? Infinity : fenceOf(index))
  const indexes = [...answers.keys()].sort((a, b) => rankOf(a) - rankOf(b) || a - b)
  const own = indexes.filter((index) => isOwn(answers[index]))
  const others = indexes.filter((index) => !own.includes(index)).slice(0, quorum - own.length)
  return { own, others, fenceOf }
}

/**
 * How a leader asks for a quorum, with as few requests as can be. Its own nodes are asked along only
 * where that is needed for the counters to agree on a token.
 */
export const planLead = (answers: Answers, quorum: number, wall: number): Lead => {
  const isOwn = (one: Told): boolean => one?.status === 'granted'
  const { own, others, fenceOf } = supporters(answers, quorum, isOwn)
  const fence = Math.max(...own.map(fenceOf))
  const isAgreed = own.every((index) => fenceOf(index) === fence)
  return isAgreed && others.every((index) => fenceOf(index) < fence)
    ? { asked: others, fence }
    : { asked: [...own, ...others], fence: Math.max(wall, highest(answers, wall) + 1) }
}

/**
 * Whether someone who got nothing out of a split vote is to look again, in case that the leader
 * vanishes, and where. Where all nodes have told who has them, only the leader's deputy does, the
 * next in rank: at the last node that the leader needs, which tells whether that carries on.
 * Otherwise everyone does, and so does a leader who did not make it.
 */
export const lookAgain = (answers: Answers, quorum: number): Lookout | boolean => {
  const holders = answers.map((one) => (one?.status === 'granted' ? 'me' : one?.holder))
  const [holder] = holders
  if (holder === 'me' || holders.includes(undefined)) return true
  if (holders.find((one) => one !== holder) !== 'me') return false
  const { others } = supporters(answers, quorum, (one) => one?.holder === holder)
  return { index: others.at(-1)!, holder }
}
