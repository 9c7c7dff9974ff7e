import type { Client } from '../local/client.ts'
import { holderOf } from '../protocol/reply.ts'
import { type Answers, noAnswers, responsive, standingOf } from '../quorum/tally.ts'
import type { Probe } from './probe.ts'

// A split vote: several clients asked at the same moment, and none got a quorum. The client with the
// node of the lowest rank leads, and everyone else yields. docs/guarantees.md explains the rules.

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
}

/**
 * The leading rounds of an attempt. A leader that has no quorum by then yields like anyone else: a rival
 * may hold a quorum that the leader cannot reach, see other nodes and lead as well, or have crashed.
 */
export const maxLeadingRounds = 4

/** The first round asks all nodes, or one of them before the others. */
export const firstRound = ({ clock, nodes }: Client, probe: Probe | undefined): RoundPlan => {
  const others = probe && [...nodes.keys()].filter((index) => index !== probe.index)
  return {
    asked: probe && [probe.index, ...others!],
    fence: clock.wall(),
    answers: noAnswers(nodes),
    isProbe: probe !== undefined,
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

/** Ms between the beginning of a round that took `took` and the next: by then, those who yield have released. */
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

/**
 * Whether a client that got nothing out of a split vote is to look again. A client that gave up a node
 * checks that somebody has taken it since: the leader may have crashed, or not know that it is to lead.
 * A client that had no node need not look, since those who had one do.
 */
export const looksAgain = (answers: Answers): boolean =>
  answers.some((answer) => answer?.status === 'granted')

/**
 * The node that a second look asks first; undefined for all of them. A client that was to lead, or had
 * a quorum, looks at all nodes: others have yielded to it. It may know only from late answers.
 */
export const secondLookProbe = (
  { answers, value }: { readonly answers: Answers; readonly value: string },
  quorum: number,
): Probe | undefined => {
  const index = answers.findIndex((answer) => answer?.status === 'granted')
  if (index < 0 || standingOf(answers, quorum) !== 'yield') return undefined
  // The release may arrive later than the second look.
  return { index, except: holderOf(value) }
}
