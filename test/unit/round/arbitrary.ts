import fc from 'fast-check'
import { type Pace, usualPace } from '../../../src/core/process/pace.ts'
import type { NodeProgress, RoundView } from '../../../src/core/rule.ts'
import type { Answer } from '../../../src/core/quorum.ts'
import type { Reply } from './follow.ts'
import { answerOf, attemptOf, planFor, type Situation, type Word } from './situation.ts'

/** Each constant between half and double of its usual value. */
export const anyPace: fc.Arbitrary<Pace> = fc.record(
  Object.fromEntries(
    Object.entries(usualPace).map(([name, usual]) => [
      name,
      fc.double({ min: usual / 2, max: usual * 2, noNaN: true }),
    ]),
  ),
) as fc.Arbitrary<Pace>

const ms = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })

/** A situation of an operation that asks all nodes. */
export const anySituation: fc.Arbitrary<Situation> = fc.integer({ min: 1, max: 7 }).chain((nodes) =>
  fc.record({
    nodes: fc.constant(nodes),
    quorum: fc.integer({ min: (nodes >> 1) + 1, max: nodes }),
    order: fc.shuffledSubarray([...Array(nodes).keys()], { minLength: nodes }),
    concurrency: fc.integer({ min: 1, max: 8 }),
    ttl: fc.oneof(fc.constant(10_000), fc.integer({ min: 25, max: 3_000 })),
    // One node is never probed: it is the quorum.
    isProbe: nodes > 1 ? fc.boolean() : fc.constant(false),
    slow: fc.subarray([...Array(nodes).keys()]),
    silent: fc.subarray([...Array(nodes).keys()]),
    took: fc.option(ms(300), { nil: undefined }),
    // A round begins only if it can ask all nodes.
    budget: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2 * nodes, max: 6 * nodes })),
  }),
)

const holders = fc.constantFrom('b', 'c', 'd')

/** What a node that answers says to somebody who wants the lock. */
const anyVote: fc.Arbitrary<Word> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Word>({ status: 'granted' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      status: fc.constant('locked' as const),
      holder: holders,
      ttl: ms(12_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Word>({ status: 'absent' }) },
)

const anyWord: fc.Arbitrary<Word> = fc.oneof(
  { weight: 5, arbitrary: anyVote },
  {
    weight: 1,
    arbitrary: fc.record({ status: fc.constantFrom('error' as const, 'quarantined' as const) }),
  },
)

/** A node that may answer to some requests and not to others. */
export const anyReplies: fc.Arbitrary<readonly Reply[]> = fc.array(
  fc.record({
    after: fc.oneof(
      { weight: 4, arbitrary: ms(60) },
      { weight: 1, arbitrary: ms(3_000) },
      {
        weight: 1,
        arbitrary: fc.constant(Infinity),
      },
    ),
    word: anyWord,
  }),
  { minLength: 1, maxLength: 4 },
)

/** A node that votes on every request, within so many ms. */
export const promptReplies = (within: number): fc.Arbitrary<readonly Reply[]> =>
  fc.array(fc.record({ after: ms(within), word: anyVote }), { minLength: 1, maxLength: 4 })

/** What a round may know of one node at a time, if it has asked it. */
const anyProgress = (
  now: number,
): fc.Arbitrary<{ progress: NodeProgress; word: Word | undefined }> =>
  fc
    .record({
      requests: fc.integer({ min: 1, max: 5 }),
      age: ms(now),
      roundTrip: ms(now),
      isBusy: fc.boolean(),
      word: fc.option(anyWord, { nil: undefined }),
    })
    .map(({ requests, age, roundTrip, isBusy, word }) => {
      const isRejection = word?.status === 'locked' || word?.status === 'absent'
      const hasVoted = isRejection || word?.status === 'granted'
      return {
        word,
        progress: {
          // Only a node that has rejected may have been asked again, and every request ends with an answer.
          requests: word ? requests : 1,
          firstAskedAt: now - age,
          askedAt: now - age,
          choice: undefined,
          roundTrip: hasVoted ? roundTrip : Infinity,
          isOverdue: false,
          isInFlight: !word || (isRejection && requests > 1 && isBusy),
        },
      }
    })

const idle: NodeProgress = {
  requests: 0,
  firstAskedAt: 0,
  askedAt: 0,
  choice: undefined,
  roundTrip: Infinity,
  isInFlight: false,
  isOverdue: false,
}

/** What a round may know at some time, on the way to any outcome. */
export const anyView: fc.Arbitrary<{
  readonly situation: Situation
  readonly viewWith: (pace: Pace) => RoundView
  readonly now: number
}> = fc.tuple(anySituation, ms(3_000), fc.nat()).chain(([given, now, seed]) => {
  const { nodes: count, order = [], budget = Infinity } = given
  const situation = { ...given, budget: budget === Infinity ? budget : seed % budget }
  return fc.array(anyProgress(now), { minLength: count, maxLength: count }).map((drawn) => {
    const asked = new Set(order.slice(0, seed % (count + 1)))
    const nodes: NodeProgress[] = []
    const answers: (Answer | undefined)[] = []
    for (const [rank, { progress, word }] of drawn.entries()) {
      // Nodes are asked in order.
      const isAsked = asked.has(rank)
      nodes.push(isAsked ? progress : idle)
      answers.push(isAsked && word ? answerOf(rank, word) : undefined)
    }
    const viewWith = (pace: Pace): RoundView => {
      const attempt = attemptOf(situation, pace)
      return { attempt, plan: planFor(situation, attempt), nodes, answers }
    }
    return { situation, viewWith, now }
  })
})
