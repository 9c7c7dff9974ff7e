import type { Client } from '../local/client.ts'
import { highestCounter } from '../quorum/fencing-token.ts'
import { type Answers, noAnswers } from '../quorum/tally.ts'
import type { NodeReport } from '../reports/node-report.ts'
import { sleep } from '../util/clock.ts'
import type { Probe } from './probe.ts'

// A split vote: several clients asked at the same moment, and none got a quorum. The client with the
// node of the lowest rank leads, and everyone else yields.

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
 * The rounds of an attempt, the first included. A leader that has no quorum by then yields like anyone
 * else: others may see other nodes and lead as well, or a rival may have crashed and keep its nodes
 * until they expire.
 */
export const maxRounds = 9

// The leading rounds that ask no more nodes than a quorum needs.
const minimalRounds = 2

// Ms by which a fence may be ahead of the clock, at random. So the counters of clients that come
// together differ, that of the leader is often the highest, and its own nodes need not be asked again.
const fenceSpread = 20

// Counters are safe integers, so this is above all of them.
const maxFence = 2 ** 53

const drawFence = ({ clock, random }: Client): number => clock.wall() + fenceSpread * random()

/** The first round asks all nodes, or one of them before the others. */
export const firstRound = (client: Client, probe: Probe | undefined): RoundPlan => {
  const { nodes } = client
  const others = probe && [...nodes.keys()].filter((index) => index !== probe.index)
  return {
    asked: probe && [probe.index, ...others!],
    fence: drawFence(client),
    answers: noAnswers(nodes),
    isProbe: probe !== undefined,
  }
}

/** A later round of a client that leads: for a quorum at first, and then of all nodes. */
export const leadingRound = (client: Client, answers: Answers, round: number): RoundPlan => {
  const wall = drawFence(client)
  const { asked, fence } =
    round <= 1 + minimalRounds
      ? planLead(answers, client.quorum, wall)
      : { asked: undefined, fence: nextFence(answers, wall) }
  const kept = answers.map((answer, index) =>
    answer?.status === 'granted' && asked && !asked.includes(index) ? answer : undefined,
  )
  return { asked, fence, answers: kept }
}

/** Waits before a leading round: as long as those who yield need to find out, and to release. */
export const pauseBeforeLeading = (
  { clock, random }: Client,
  lastRound: number,
  signal: AbortSignal | undefined,
): Promise<void> => sleep(clock, lastRound * (0.4 + random() / 10), signal)

const nextFence = (answers: Answers, wall: number): number =>
  Math.max(wall, highestCounter(answers, wall) + 1)

/**
 * The nodes that a leader has, and those that it needs besides: first those with the lowest counters;
 * then those that it has not asked last, whose holders have had the most time to yield; then those
 * that failed.
 */
const supporters = (
  answers: Answers,
  quorum: number,
  isOwn: (answer: NodeReport | undefined) => boolean,
) => {
  const fenceOf = (index: number): number => answers[index]?.fence ?? maxFence
  const orderOf = (index: number): number => (answers[index]?.error ? Infinity : fenceOf(index))
  const indexes = [...answers.keys()].sort((a, b) => orderOf(a) - orderOf(b) || a - b)
  const own = indexes.filter((index) => isOwn(answers[index]))
  const others = indexes.filter((index) => !isOwn(answers[index])).slice(0, quorum - own.length)
  return { own, others, fenceOf }
}

/**
 * The fewest nodes that can give the leader a quorum. Its own nodes are asked again only where their
 * counters do not agree on a token.
 */
const planLead = (
  answers: Answers,
  quorum: number,
  wall: number,
): Pick<RoundPlan, 'asked' | 'fence'> => {
  const { own, others, fenceOf } = supporters(answers, quorum, (one) => one?.status === 'granted')
  const fence = Math.max(...own.map(fenceOf))
  const isAgreed =
    own.every((index) => fenceOf(index) === fence) &&
    others.every((index) => fenceOf(index) < fence)
  return isAgreed
    ? { asked: others, fence }
    : { asked: [...own, ...others], fence: nextFence(answers, wall) }
}

/** The rival that leads; undefined where that is the client itself, or nobody. */
export const leaderOf = (answers: Answers): string | undefined =>
  answers.find((answer) => answer && !answer.error)?.holder

/** That a client is to look again after a split vote, and at which node first, if at one. */
export type SecondLook = { readonly probe?: Probe }

/**
 * Whether a client that got nothing out of a split vote is to look again, in case that the leader has
 * crashed; undefined if not. Where every node has reported its holder, only the leader's backup looks:
 * the next in rank, at the last node that the leader needs, which tells whether the leader carries on.
 * Otherwise everyone looks again, and so does a leader that did not win.
 */
export const secondLook = (answers: Answers, quorum: number): SecondLook | undefined => {
  const holders = answers.map((one) => (one?.status === 'granted' ? 'me' : one?.holder))
  const [leader] = holders
  if (leader === 'me' || holders.includes(undefined)) return {}
  const backup = holders.find((one) => one !== leader)
  if (backup !== 'me') return undefined
  const { others } = supporters(answers, quorum, (one) => one?.holder === leader)
  return { probe: { index: others.at(-1)!, holder: leader } }
}
