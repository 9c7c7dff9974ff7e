import type { Pace } from '../../../src/local/pace.ts'
import type { NextStep, Plan } from '../../../src/vote/next-step.ts'
import { recordBallot, type Word } from './recorded-ballot.ts'
import type { Situation } from './situation.ts'

/** How a node answers one request. `after`: the ms that it takes, or Infinity if it never answers. */
export type Reply = { readonly after: number; readonly word: Word }

export type Run<Result> = {
  readonly situation: Situation
  readonly next: NextStep<Result>
  readonly pace: Pace
  /** By node: its replies to the first request, the second, and so on. The last one repeats. */
  readonly replies: readonly (readonly Reply[])[]
  /** The ms after which a node counts as failed, and those after which its request is cancelled. */
  readonly timeout: number
  readonly cancelAfter: number
}

/** How a run has ended. */
export type Ending<Result> = {
  readonly plan: Plan
  readonly result: Result | undefined
  /** When it was settled, and when each node was asked first. Infinity: never. */
  readonly settledAt: number
  readonly askedAt: readonly number[]
}

// More steps than any ballot of a few nodes needs.
const maxEvents = 10_000

/** Follows the steps of a ballot in virtual time, until it has a result and nothing is under way. */
export const follow = <Result>(run: Run<Result>): Ending<Result> => {
  const { situation, next, pace, replies, timeout, cancelAfter } = run
  const ballot = recordBallot(situation, next, pace)
  const { seats, answers } = ballot.view
  const askedAt = seats.map(() => Infinity)
  const ending = (result: Result | undefined, settledAt: number): Ending<Result> => ({
    plan: ballot.plan,
    result,
    settledAt,
    askedAt,
  })
  let now = 0
  for (let count = 0; count < maxEvents; count++) {
    const steps = ballot.stepsAt(now)
    for (const [index, seat] of seats.entries())
      if (seat.asks === 1) askedAt[index] = seat.askedAt
    const last = steps.at(-1)!
    if ('settle' in last) return ending(last.settle, now)
    let [at, happen] = ['until' in last ? last.until : Infinity, (): void => {}]
    for (const [index, seat] of seats.entries()) {
      if (!seat.request) continue
      const { after, word } = replies[index]![Math.min(seat.asks, replies[index]!.length) - 1]!
      const events = [
        [after, () => ballot.enter(index, word, now)],
        [answers[index]?.status === 'timeout' ? Infinity : timeout, () => ballot.expire(index)],
        [cancelAfter, () => ballot.cancel(index)],
      ] as const
      for (const [delay, act] of events)
        if (seat.askedAt + delay < at) [at, happen] = [seat.askedAt + delay, act]
    }
    if (at === Infinity) return ending(undefined, Infinity)
    now = at
    happen()
  }
  return ending(undefined, Infinity)
}
