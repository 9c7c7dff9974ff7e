import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  leadUntil,
  type Pace,
  patienceOf,
  slowAfter,
  usualPace,
} from '../../../src/core/process/pace.ts'
import { acquiring, inspecting, releasing } from '../../../src/core/operations.ts'
import type { Outcome } from '../../../src/core/outcome.ts'
import type { Operation, Rule } from '../../../src/core/rule.ts'
import { acquireRule } from '../../../src/core/rules/acquire.ts'
import { confirmRule, readRule, releaseRule } from '../../../src/core/rules/held.ts'
import { pollRule } from '../../../src/core/claim/rounds.ts'
import { anyPace, anyReplies, anySituation, anyView, promptReplies } from './arbitrary.ts'
import { checkedRule } from './checked-rule.ts'
import { follow, type Reply } from './follow.ts'
import type { Situation } from './situation.ts'

const undecidedPoll = pollRule(() => undefined)

const all: [string, Rule<Outcome>, Operation][] = [
  ['acquireRule', acquireRule, acquiring],
  ['confirmRule', confirmRule, inspecting],
  ['releaseRule', releaseRule, releasing],
  ['readRule', readRule, inspecting],
  ['pollRule', undecidedPoll, inspecting],
]

/** A case of the property below: the situation with the replies of its nodes, the nodes that hang, and the pace. */
type Case = [[Situation, (readonly Reply[])[]], number[], Pace]

const granted: Reply = { after: 0, word: { status: 'granted' } }
const locked: Reply = { after: 0, word: { status: 'locked', holder: 'b', ttl: 0 } }
const absent = (after: number): Reply => ({ after, word: { status: 'absent' } })

/** Half of each usual time and share: the smallest pace that random cases have. */
const hurried = Object.fromEntries(
  Object.entries(usualPace).map(([name, usual]) => [name, usual / 2]),
) as Pace

// Cases that random ones rarely meet: a leader asks a recalled node again, and a call without budget for a recall.
const rareCases: Case[] = [
  [
    [
      {
        nodes: 4,
        quorum: 3,
        order: [2, 1, 0, 3],
        concurrency: 8,
        ttl: 2_254,
        isProbe: true,
        slow: [0, 1, 2, 3],
        silent: [1],
        took: 6,
      },
      [[granted], [absent(45)], [{ ...granted, after: 55 }, absent(0)], [locked]],
    ],
    [],
    { ...hurried, leadShare: 0.146 },
  ],
  [
    [
      { nodes: 5, quorum: 4, order: [0, 3, 1, 4, 2], concurrency: 1, silent: [4], budget: 10 },
      [[granted, locked], [locked, granted], [granted], [granted], [granted]],
    ],
    [2],
    hurried,
  ],
]

// Ms. Two sums of the same times may differ in their last digit.
const rounding = 1e-6

const never: readonly Reply[] = [{ after: Infinity, word: { status: 'granted' } }]

/**
 * When the last node is asked at the latest, if each node before it passes its turn. A node that was left alone is
 * asked one turn later.
 */
const lastTurn = ({ nodes, silent = [], took }: Situation, pace: Pace, timeout: number): number =>
  (nodes - (silent.length ? 0 : 1)) * Math.min(timeout, slowAfter(pace, took)) + rounding

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

describe.each(all)('%s', (_, rule, operation) => {
  const checked = checkedRule(rule)
  const isAcquire = rule === acquireRule

  it('asks, waits or is done for a reason, whatever it is told', () => {
    fc.assert(
      fc.property(anyView, anyPace, ({ viewWith, now }, pace) => {
        checked(viewWith(pace), now)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is done in time and leaves nothing locked, whatever the nodes do', () => {
    const delay = fc.integer({ min: 20, max: 2_000 })
    fc.assert(
      fc.property(
        withReplies(anyReplies),
        anyPace,
        delay,
        delay,
        ([given, replies], pace, timeout, more) => {
          const cancel = timeout + more
          const situation = { ...given, timeout, cancel }
          const { doneAt, left } = follow({ situation, operation, rule: checked, pace, replies })
          // All first requests are over a timeout after the last turn. A leader asks again for some time. Its last
          // request may wait until the one before is cancelled, and then be cancelled too.
          const ends = isAcquire ? leadUntil(pace, 0, cancel, Infinity) + 2 * cancel : timeout
          expect(doneAt).toBeLessThanOrEqual(lastTurn(situation, pace, timeout) + ends)
          expect(left).toEqual([])
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe.each([all[0]!, all[4]!])('%s', (_, rule, operation) => {
  it('does not wait for the timeout of nodes that hang, once a quorum has answered', () => {
    const within = 60
    fc.assert(
      fc.property(
        withReplies(promptReplies(within)),
        fc.array(fc.nat(), { maxLength: 3 }),
        anyPace,
        ([given, prompt], numbers, pace) => {
          const { nodes, quorum = (nodes >> 1) + 1, budget = Infinity } = given
          // A node that was left alone is not asked if the budget is used up. Then it is one more that never answers.
          const silent = budget < Infinity ? [] : (given.silent ?? [])
          const situation = { ...given, silent, timeout: 1e6, cancel: 1e6 }
          const hung = new Set(numbers.slice(0, nodes - quorum).map((number) => number % nodes))
          const replies = prompt.map((own, rank) => (hung.has(rank) ? never : own))
          const run = { situation, operation, rule: checkedRule(rule), pace, replies }
          const { doneAt } = follow(run)
          const turns = lastTurn(situation, pace, Infinity)
          const patience = patienceOf(pace, within, 0)
          // A round that may acquire the lock waits for a node until that is slow.
          const isAcquire = rule === acquireRule
          const longest = isAcquire ? Math.max(patience, pace.slow * within) : patience
          const patient = Math.max(turns + longest, pace.cold)
          const lead = turns + within + leadUntil(pace, 0, within, Infinity)
          expect(doneAt).toBeLessThanOrEqual(isAcquire ? Math.max(patient, lead) + within : patient)
        },
      ),
      { numRuns: 1_000, examples: rareCases },
    )
  })
})

describe('releaseRule', () => {
  it('asks every node once, and none later than its turn', () => {
    fc.assert(
      fc.property(withReplies(anyReplies), anyPace, ([given, replies], pace) => {
        const situation = { ...given, timeout: 100 }
        const rule = checkedRule(releaseRule)
        const { nodes } = follow({ situation, operation: releasing, rule, pace, replies })
        expect(nodes.map(({ requests }) => requests)).toEqual(nodes.map(() => 1))
        const last = Math.max(...nodes.map(({ askedAt }) => askedAt))
        expect(last).toBeLessThanOrEqual(lastTurn(situation, pace, 100))
      }),
      { numRuns: 1_000 },
    )
  })
})
