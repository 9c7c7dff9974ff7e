import type { Pace } from '../../../src/local/pace.ts'
import type { Rule, NodeProgress } from '../../../src/core/rules/acquire.ts'
import { recordBallot, type Word } from './recorded-ballot.ts'
import type { Situation } from './situation.ts'

/** How a node answers one request. `after`: the ms that it takes, or Infinity if it never answers. */
export type Reply = { readonly after: number; readonly word: Word }

export type Run<Result> = {
  readonly situation: Situation
  readonly next: Rule<Result>
  readonly pace: Pace
  /** By node: its replies to the first request, the second, and so on. The last one repeats. */
  readonly replies: readonly (readonly Reply[])[]
  /** The ms after which a node counts as failed, and those after which its request is cancelled. */
  readonly timeout: number
  readonly cancelAfter: number
  /** Whether it goes on after its result, as a release does. */
  readonly goesOn?: boolean
}

/** How a run has ended. */
export type Ending<Result> = {
  readonly result: Result | undefined
  /** When it was settled. Infinity: never. */
  readonly settledAt: number
  /** By node: how often it was asked, and when last. */
  readonly seats: readonly NodeProgress[]
}

/** What is about to happen. */
type Due = { at: number; happen: () => void }

// More than any ballot of a few nodes needs.
const maxEvents = 1_000

/** Follows the steps of a ballot in virtual time, until it is over. */
export const follow = <Result>(run: Run<Result>): Ending<Result> => {
  const { situation, next, pace, replies, timeout, cancelAfter, goesOn } = run
  const ballot = recordBallot(situation, next, pace)
  const { seats, answers } = ballot.view
  let result: Result | undefined
  let settledAt = Infinity
  let now = 0
  for (let events = 0; events < maxEvents; events++) {
    const last = ballot.stepsAt(now).at(-1)!
    if ('settle' in last && settledAt === Infinity) {
      result = last.settle
      settledAt = now
      if (!goesOn) break
    }
    const due: Due = { at: 'until' in last ? last.until : Infinity, happen: () => {} }
    for (const [index, { asks, askedAt, request }] of seats.entries()) {
      if (!request) continue
      const { after, word } = replies[index]![Math.min(asks, replies[index]!.length) - 1]!
      const plan = (delay: number, happen: () => void): void => {
        if (askedAt + delay < due.at) Object.assign(due, { at: askedAt + delay, happen })
      }
      plan(after, () => ballot.enter(index, word, now))
      if (answers[index]?.status !== 'timeout') plan(timeout, () => ballot.expire(index))
      plan(cancelAfter, () => ballot.cancel(index))
    }
    if (due.at === Infinity) break
    now = due.at
    due.happen()
  }
  return { result, settledAt, seats }
}
