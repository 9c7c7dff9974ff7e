import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leadWithin, type Pace, patienceOf, slowAfter } from '../../../src/local/pace.ts'
import {
  type NextStep,
  nextOfInspection,
  nextOfPoll,
  nextOfRelease,
  nextOfVote,
  nextStep,
} from '../../../src/vote/next-step.ts'
import { voteOf } from '../../../src/vote/tally.ts'
import { anyPace, anyReplies, anySituation, anyView, promptReplies } from './arbitrary.ts'
import { checkedStep } from './checked-step.ts'
import { type Ending, follow, type Reply } from './follow.ts'
import { planOf, type Situation } from './situation.ts'

const undecided: NextStep<unknown> = nextOfPoll(() => false)
const others: Readonly<Record<string, NextStep<unknown>>> = {
  nextOfVote,
  nextOfRelease,
  nextOfInspection,
  nextOfPoll: undecided,
}
const all: [string, NextStep<unknown>][] = Object.entries({ nextStep, ...others })

/** The ms until the last node has been asked, if the others take their time to answer, or to pass their turns. */
const lastTurn = ({ nodes, took }: Situation, pace: Pace, within: number): number =>
  (nodes - 1) * Math.min(within, slowAfter(pace, took))

/** A situation, and how each of its nodes replies. */
const withReplies = (
  replies: fc.Arbitrary<readonly Reply[]>,
): fc.Arbitrary<[Situation, (readonly Reply[])[]]> =>
  anySituation.chain((situation) => {
    const { nodes } = situation
    const each = fc.array(replies, { minLength: nodes, maxLength: nodes })
    return fc.tuple(fc.constant(situation), each)
  })

const never: Reply = { after: Infinity, word: { status: 'granted' } }

describe.each(all)('%s', (name, next) => {
  const isContest = name === 'nextStep'
  const checked = checkedStep(next)

  it('asks, waits or settles, for a reason, whatever it is told', () => {
    fc.assert(
      fc.property(anyView, anyPace, ({ view, plan, now }, pace) => {
        checked(view, plan, pace, now)
      }),
      { numRuns: 5_000 },
    )
  })

  it('settles within the timeouts of two requests, the turns of all nodes, and the time to lead', () => {
    fc.assert(
      fc.property(
        withReplies(anyReplies),
        anyPace,
        fc.integer({ min: 20, max: 2_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        ([situation, replies], pace, timeout, more) => {
          const cancelAfter = timeout + more
          const run = { situation, next: checked, pace, replies, timeout, cancelAfter }
          const { settledAt, plan } = follow(run)
          const lead = leadWithin(pace, cancelAfter, plan.ttl)
          const bound =
            lastTurn(situation, pace, timeout) + (isContest ? lead + 2 * cancelAfter : timeout)
          expect(settledAt).toBeLessThanOrEqual(bound)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})
