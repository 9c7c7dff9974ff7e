import type { Outcome } from '../../../src/core/outcome.ts'
import type { Pace } from '../../../src/core/process/pace.ts'
import type { NodeProgress, Operation, Rule } from '../../../src/core/rule.ts'
import { answerOf, roundOf, type Situation, type Word } from './situation.ts'

/** How a node answers one request. `after`: the ms that it takes, or Infinity if it never answers. */
export type Reply = { readonly after: number; readonly word: Word }

export type Run = {
  readonly situation: Situation
  readonly operation: Operation
  readonly rule: Rule<Outcome>
  readonly pace: Pace
  /** By node: its replies to the first request, the second, and so on. The last one repeats. */
  readonly replies: readonly (readonly Reply[])[]
}

/** How a run has ended. */
export type Ending = {
  readonly outcome: Outcome | undefined
  /** When it was done. Infinity: never. */
  readonly doneAt: number
  /** By node: how often it was asked, and when last. */
  readonly nodes: readonly NodeProgress[]
  /** The nodes that may hold the lock although the round is over, and was not acquired. */
  readonly left: readonly number[]
}

// More than any round of a few nodes needs.
const maxEvents = 1_000

/** Follows a round in virtual time, until it is over. */
export const follow = (run: Run): Ending => {
  const { situation, operation, rule, pace, replies } = run
  const round = roundOf(situation, rule, operation, pace)
  let now = 0
  let doneAt = Infinity
  round.proceed(now)
  for (let events = 0; events < maxEvents && round.wakeAt < Infinity; events++) {
    if (round.outcome !== undefined) doneAt = Math.min(doneAt, now)
    let at = round.wakeAt
    let happen = (): unknown => round.timer(now)
    let isTimer = true
    for (const [rank, { requests, askedAt, isInFlight }] of round.nodes.entries()) {
      const own = replies[rank]!
      const { after, word } = own[Math.min(requests, own.length) - 1] ?? { after: Infinity }
      if (!isInFlight || !word || askedAt + after >= at) continue
      at = askedAt + after
      happen = () => round.reply(rank, answerOf(rank, word), now)
      isTimer = false
    }
    now = at
    if (now === Infinity) break
    happen()
    round.proceed(now, now, isTimer)
  }
  if (round.outcome !== undefined) doneAt = Math.min(doneAt, now)
  const { mayHold } = round.attempt
  const isOver = round.wakeAt === Infinity && round.outcome !== 'acquired'
  const left = isOver ? [...mayHold.keys()].filter((rank) => mayHold[rank]! > 0) : []
  return { outcome: round.outcome, doneAt, nodes: round.nodes, left }
}
