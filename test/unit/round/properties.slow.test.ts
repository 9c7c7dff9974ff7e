import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leadUntil, type Pace, patienceOf, slowAfter } from '../../../src/local/pace.ts'
import { pollRule } from '../../../src/records/rounds.ts'
import { type Rule, acquireRule } from '../../../src/core/rules/acquire.ts'
import { readRule, releaseRule, confirmRule } from '../../../src/core/operations.ts'
import { anyPace, anyReplies, anySituation, anyView, promptReplies } from './arbitrary.ts'
import { checkedStep } from './checked-step.ts'
import { follow, type Reply } from './follow.ts'
import { planOf, type Situation } from './situation.ts'

const undecidedPoll: Rule<unknown> = pollRule(() => undefined)

const all: [string, Rule<unknown>][] = Object.entries({
  acquireRule,
  confirmRule,
  releaseRule,
  readRule,
  undecidedPoll,
})

// Ms. Two sums of the same times may differ in their last digit.
const rounding = 1e-6

const never: readonly Reply[] = [{ after: Infinity, word: { status: 'granted' } }]

/** When the last node is asked at the latest, if each node before it passes its turn. */
const lastTurn = ({ nodes, took }: Situation, pace: Pace, timeout: number): number =>
  (nodes - 1) * Math.min(timeout, slowAfter(pace, took)) + rounding

/** A situation, and how each of its nodes replies. */
const withReplies = (
  replies: fc.Arbitrary<readonly Reply[]>,
): fc.Arbitrary<[Situation, (readonly Reply[])[]]> =>
  anySituation.chain((situation) => {
    const { nodes } = situation
    return fc.tuple(
      fc.constant(situation),
      fc.array(replies, { minLength: nodes, maxLength: nodes }),
    )
  })

describe.each(all)('%s', (_, next) => {
  const checked = checkedStep(next)
  const isAcquire = next === acquireRule

  it('asks, waits or settles for a reason, whatever it is told', () => {
    fc.assert(
      fc.property(anyView, anyPace, ({ view, plan, now }, pace) => {
        checked(view, plan, pace, now)
      }),
      { numRuns: 2_000 },
    )
  })

  it('settles in time, whatever the nodes do', () => {
    const delay = fc.integer({ min: 20, max: 2_000 })
    fc.assert(
      fc.property(
        withReplies(anyReplies),
        anyPace,
        delay,
        delay,
        ([situation, replies], pace, timeout, more) => {
          const cancelAfter = timeout + more
          const run = { situation, next: checked, pace, replies, timeout, cancelAfter }
          const { settledAt } = follow(run)
          // All first requests are over a timeout after the last turn. A leader asks again for some time. Its last
          // request may wait until the one before is cancelled, and then be cancelled too.
          const ends = isAcquire
            ? leadUntil(pace, 0, cancelAfter, Infinity) + 2 * cancelAfter
            : timeout
          const bound = lastTurn(situation, pace, timeout) + ends
          expect(settledAt).toBeLessThanOrEqual(bound)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe.each(Object.entries({ acquireRule, undecidedPoll }))('%s', (_, next) => {
  it('does not wait for the timeout of nodes that hang, once a quorum has answered', () => {
    const within = 60
    fc.assert(
      fc.property(
        withReplies(promptReplies(within)),
        fc.array(fc.nat(), { maxLength: 3 }),
        anyPace,
        ([situation, prompt], numbers, pace) => {
          const { nodes } = situation
          const { quorum } = planOf(situation)
          const hung = new Set(numbers.slice(0, nodes - quorum).map((number) => number % nodes))
          const replies = prompt.map((own, index) => (hung.has(index) ? never : own))
          const run = { situation, next: checkedStep<unknown>(next), pace, replies }
          const { settledAt } = follow({ ...run, timeout: Infinity, cancelAfter: Infinity })
          const turns = lastTurn(situation, pace, Infinity)
          const patience = patienceOf(pace, within, 0)
          // A ballot that may be won waits for a node until that is slow.
          const longest = next === acquireRule ? Math.max(patience, pace.slow * within) : patience
          const patient = Math.max(turns + longest, pace.cold)
          const lead = turns + within + leadUntil(pace, 0, within, Infinity)
          const bound = next === acquireRule ? Math.max(patient, lead) + within : patient
          expect(settledAt).toBeLessThanOrEqual(bound)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('releaseRule', () => {
  it('asks every node once, and none later than its turn', () => {
    fc.assert(
      fc.property(withReplies(anyReplies), anyPace, ([situation, replies], pace) => {
        const run = { situation, next: checkedStep(releaseRule), pace, replies, goesOn: true }
        const { seats } = follow({ ...run, timeout: 100, cancelAfter: 100 })
        expect(seats.map(({ asks }) => asks)).toEqual(seats.map(() => 1))
        const last = Math.max(...seats.map(({ askedAt }) => askedAt))
        expect(last).toBeLessThanOrEqual(lastTurn(situation, pace, 100))
      }),
      { numRuns: 1_000 },
    )
  })
})
