import { type Budget, newBudget } from '../../../src/local/budget.ts'
import type { Plan, NodeProgress, View } from '../../../src/core/rules/acquire.ts'
import type { Answer } from '../../../src/core/quorum.ts'
import { validityOf } from '../../../src/core/attempt.ts'

// The only place here that builds a plan and a view.

/** What a ballot is about, in a few words. What is left out is as in a client with default options. */
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
  /** The requests that are left. */
  readonly budget?: number
}

export const planOf = (situation: Situation): Plan => {
  const { nodes, ttl = 10_000, drift: driftFactor = 0.01 } = situation
  const { slow = [], took, isProbe = false, concurrency = 5 } = situation
  const { quorum = (nodes >> 1) + 1, order = [...Array(nodes).keys()] } = situation
  return {
    order,
    quorum,
    concurrency,
    ttl,
    validity: validityOf({ driftFactor } as Parameters<typeof validityOf>[0], ttl),
    isProbe,
    roundTrips: Array.from({ length: nodes }, (_, index) =>
      slow.includes(index) ? Infinity : undefined,
    ),
    took,
  }
}

/** A view that the ballot changes. */
export type OwnView = View & {
  readonly answers: (Answer | undefined)[]
  readonly seats: NodeProgress[]
}

export const viewOf = (
  answers: (Answer | undefined)[],
  seats: NodeProgress[],
  budget: Budget = newBudget(Infinity),
): OwnView => ({ answers, seats, budget })
