import { type Client, createClient } from '../../../src/core/process/client.ts'
import { type Pace, usualPace } from '../../../src/core/process/pace.ts'
import { type Attempt, newAttempt, subjectOf } from '../../../src/core/attempt.ts'
import { acquiring } from '../../../src/core/operations.ts'
import type { Outcome } from '../../../src/core/outcome.ts'
import { planOf, type RoundOptions } from '../../../src/core/plan.ts'
import type { Operation, Plan, Rule } from '../../../src/core/rule.ts'
import type { Answer } from '../../../src/core/quorum.ts'
import { Round } from '../../../src/core/round.ts'
import { locks } from '../../../src/protocol/keys.ts'

// The only place here that sets up a round.

/** What a round is about, in a few words. What is left out is as in a client with default options. */
export type Situation = {
  readonly nodes: number
  readonly quorum?: number
  readonly order?: readonly number[]
  readonly concurrency?: number
  readonly ttl?: number
  /** The share of the ttl by which clocks may drift apart. */
  readonly drift?: number
  readonly isProbe?: boolean
  /** The nodes that were slow lately. */
  readonly slow?: readonly number[]
  readonly took?: number | undefined
  /** The nodes that have left many requests without an answer, while the others answer. */
  readonly silent?: readonly number[]
  /** The requests that are left. */
  readonly budget?: number
  /** The ms after which a node counts as failed, those after which its request is cancelled, and the end of all. */
  readonly timeout?: number
  readonly cancel?: number
  readonly deadline?: number
}

const clientOf = (situation: Situation, pace: Pace): Client => {
  const { nodes: count, concurrency = 5, drift: driftFactor = 0.01 } = situation
  const { quorum = (count >> 1) + 1, slow = [], silent = [], took, budget = Infinity } = situation
  const ranks = [...Array(count).keys()]
  const nodes = ranks.map((rank) => ({
    name: `node ${rank}`,
    run: async () => ({ status: 'absent' as const, counter: 0 }),
  }))
  const client = createClient({ nodes })
  client.cache.took = took
  for (const rank of ranks) {
    const isSilent = silent.includes(rank)
    Object.assign(client.cache.silences[rank]!, {
      overdue: isSilent ? 16 : 0,
      heardAt: isSilent ? -Infinity : 0,
    })
    client.cache.downSince[rank] = Infinity
    client.cache.roundTrips[rank] = slow.includes(rank) ? Infinity : undefined
  }
  return { ...client, quorum, concurrency, driftFactor, budget, pace }
}

export const attemptOf = (situation: Situation, pace: Pace = usualPace): Attempt => {
  const { nodes, ttl = 10_000, order = [...Array(nodes).keys()] } = situation
  const attempt = newAttempt(subjectOf(clientOf(situation, pace), locks, ['key']), 'secret', ttl)
  // A release asks the nodes that may hold the lock.
  for (const rank of order) attempt.mayHold[rank] = 0
  return attempt
}

export const planFor = (
  situation: Situation,
  attempt: Attempt,
  operation: Operation = acquiring,
): Plan => {
  const { nodes, isProbe, timeout, cancel, deadline } = situation
  const options: Omit<RoundOptions<Outcome>, 'rule'> = {
    operation,
    isAllOrNothing: operation === acquiring,
    order: situation.order ?? [...Array(nodes).keys()],
    ...(isProbe !== undefined && { isProbe }),
    ...(timeout !== undefined && { timeout }),
    ...(deadline !== undefined && { deadline }),
  }
  const plan = planOf(attempt, options, 0)
  return cancel === undefined ? plan : { ...plan, cancelAfter: cancel }
}

export const roundOf = (
  situation: Situation,
  rule: Rule<Outcome>,
  operation: Operation = acquiring,
  pace: Pace = usualPace,
): Round => {
  const attempt = attemptOf(situation, pace)
  return new Round(attempt, planFor(situation, attempt, operation), rule)
}

/** How a node answers. A node that is `locked` names its holder. */
export type Word = Pick<Answer, 'status' | 'holder' | 'ttl' | 'server' | 'slot' | 'holders'>

const failures: ReadonlySet<string> = new Set(['error', 'quarantined', 'timeout', 'duplicate'])

export const answerOf = (rank: number, word: Word): Answer => ({
  node: `node ${rank}`,
  ...word,
  error: failures.has(word.status) ? new Error(word.status) : undefined,
})
