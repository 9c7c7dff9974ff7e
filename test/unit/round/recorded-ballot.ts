import { newBudget, refund, reserve } from '../../../src/local/budget.ts'
import type { Pace } from '../../../src/local/pace.ts'
import type { Rule, Plan, NodeProgress, Step } from '../../../src/core/rules/acquire.ts'
import type { Answer } from '../../../src/core/quorum.ts'
import { type OwnView, planOf, type Situation, viewOf } from './situation.ts'

/** How a node answers. A node that is `locked` names its holder. */
export type Word = Pick<Answer, 'status' | 'holder' | 'ttl'>

/** A ballot that sends nothing: whoever keeps the record says what the nodes answer, and when. */
export type RecordedBallot<Result> = {
  readonly plan: Plan
  readonly view: OwnView
  /** Takes all steps that are due now, and returns them. The last one waits or settles. */
  readonly stepsAt: (now: number) => Step<Result>[]
  /** Enters the answer to the request that is under way. */
  readonly enter: (index: number, word: Word, now: number) => void
  /** Enters that the node has not answered in time. Its request stays under way. */
  readonly expire: (index: number) => void
  /** Ends a request that nobody will answer. */
  readonly cancel: (index: number) => void
}

const failures: ReadonlySet<string> = new Set(['error', 'quarantined', 'timeout', 'duplicate'])

export const answerOf = (index: number, word: Word): Answer => ({
  node: `node ${index}`,
  ...word,
  error: failures.has(word.status) ? new Error(word.status) : undefined,
})

/** Keeps the seats and the answers of a ballot in the same way as `runRound`. */
export const recordBallot = <Result>(
  situation: Situation,
  next: Rule<Result>,
  pace: Pace,
): RecordedBallot<Result> => {
  const plan = planOf(situation)
  const budget = newBudget(situation.budget ?? Infinity)
  const answers: (Answer | undefined)[] = []
  const seats: NodeProgress[] = []
  for (let index = 0; index < situation.nodes; index++) {
    // Nodes that are not to be asked do not have the lease.
    const isAsked = plan.order.includes(index)
    answers.push(isAsked ? undefined : answerOf(index, { status: 'absent' }))
    seats.push({ asks: 0, firstAskedAt: 0, askedAt: 0, roundTrip: Infinity })
  }
  const view = viewOf(answers, seats, budget)

  const ask = (indexes: readonly number[], now: number): void => {
    for (const index of indexes) {
      const seat = seats[index]!
      if (!seat.asks++) seat.firstAskedAt = now
      seat.askedAt = now
      seat.request = new AbortController()
      reserve(budget, 1)
    }
  }

  return {
    plan,
    view,
    stepsAt: (now) => {
      const steps: Step<Result>[] = []
      for (;;) {
        const step = next(view, plan, pace, now)
        steps.push(step)
        if (!('ask' in step)) return steps
        ask(step.ask, now)
      }
    },
    enter: (index, word, now) => {
      const seat = seats[index]!
      const answer = answerOf(index, word)
      const isLate = answers[index]?.status === 'timeout'
      seat.request = undefined
      if (answer.status === 'locked') refund(budget, 1)
      if (!answer.error && seat.asks === 1) seat.roundTrip = now - seat.askedAt
      if (!isLate || !answer.error) answers[index] = answer
    },
    expire: (index) => {
      answers[index] = answerOf(index, { status: 'timeout' })
    },
    cancel: (index) => {
      seats[index]!.request = undefined
    },
  }
}
