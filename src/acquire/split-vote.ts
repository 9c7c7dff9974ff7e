import type { Client } from '../local/client.ts'
import { type Answers, noAnswers, responsive } from '../quorum/tally.ts'
import type { Probe } from './probe.ts'

// A split vote: several clients asked at the same moment, and none got a quorum. The client with the
// node of the lowest rank leads, and everyone else yields. docs/concepts/split-votes.md explains the rules.

/** The parameters of one round of an attempt. */
export type RoundPlan = {
  /** The indexes of the nodes, in order; undefined for all. */
  readonly asked: readonly number[] | undefined
  /** The value that the fence counters of these nodes should reach. */
  readonly fence: number
  /** The answers that the round begins with: grants of nodes that are not asked again. */
  readonly answers: Answers
  /** Whether the first of these nodes is asked before the others. */
  readonly isProbe?: boolean
  /** Ms until the others are asked too. */
  readonly turn?: number | undefined
}

/**
 * The leading rounds of an attempt. A leader that has no quorum by then yields like anyone else: a rival
 * may hold a quorum that the leader cannot reach, see other nodes and lead as well, or have crashed.
 */
export const maxLeadingRounds = 3

/** The first round asks all nodes, or one of them before the others. */
export const firstRound = ({ clock, nodes }: Client, probe: Probe | undefined): RoundPlan => {
  const others = probe && [...nodes.keys()].filter((index) => index !== probe.index)
  return {
    asked: probe && [probe.index, ...others!],
    fence: clock.wall(),
    answers: noAnswers(nodes),
    isProbe: probe !== undefined,
    turn: probe?.turn,
  }
}

/**
 * A later round of a client that leads. It keeps its grants, and asks the nodes that rivals had. The other
 * nodes are asked too where fewer than a quorum answered.
 */
export const leadingRound = ({ quorum }: Client, answers: Answers): RoundPlan => {
  const kept = answers.map((answer) => (answer?.status === 'granted' ? answer : undefined))
  const asksAll = responsive(answers) < quorum
  const isAsked = (index: number): boolean =>
    asksAll ? !kept[index] : answers[index]?.holder !== undefined
  return {
    asked: [...answers.keys()].filter(isAsked),
    // With the counters of the nodes that it has, so that a quorum may agree on a token.
    fence: Math.max(...kept.map((answer) => answer?.fence ?? 0)),
    answers: kept,
  }
}

/** Ms from asking the last node of a round until the next round: by then, those who yield have released. */
export const leadAfter = (took: number, { random }: Client): number => took * (1.7 + random() / 10)

/** Ms that a leading round takes at most, where a quorum took `took` in the round before. */
export const leadWithin = (took: number): number => 3 * took + 10

/**
 * Whether this client has lost a split vote before all nodes have answered: the first node is a rival's,
 * and rivals have so many nodes that no quorum is left.
 */
export const hasLost = (answers: Answers, quorum: number): boolean => {
  const refused = answers.filter((answer) => answer?.holder !== undefined)
  return answers[0]?.holder !== undefined && refused.length > answers.length - quorum
}
