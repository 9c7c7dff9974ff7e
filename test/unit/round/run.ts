import { acquiring, extending, inspecting, releasing } from '../../../src/core/operations.ts'
import type { Operation, Rule } from '../../../src/core/rule.ts'
import type { Outcome } from '../../../src/core/outcome.ts'
import { heldOutcomeOf } from '../../../src/core/quorum.ts'
import type { Effect, Round } from '../../../src/core/round.ts'
import { acquireRule } from '../../../src/core/rules/acquire.ts'
import { confirmRule, readRule, releaseRule } from '../../../src/core/rules/held.ts'
import { pollRule } from '../../../src/core/claim/rounds.ts'
import { answerOf, roundOf, type Situation } from './situation.ts'
import { type Event, eventLine, type Kind, parseTranscript } from './transcript.ts'

type Kinds = Readonly<Record<Kind, readonly [Operation, (quorum: number) => Rule<Outcome>]>>

/** The operation and the rule of each kind of round. A poll here is decided as a vote is. */
const kinds: Kinds = {
  acquire: [acquiring, () => acquireRule],
  extend: [extending, () => confirmRule],
  release: [releasing, () => releaseRule],
  inspect: [inspecting, () => readRule],
  poll: [inspecting, (quorum) => pollRule((answers) => heldOutcomeOf(answers, quorum))],
}

/** Times in transcripts have one decimal. */
const rounded = (ms: number): number => Math.round(ms * 10) / 10

const describe = (effect: Effect): string => {
  if ('ranks' in effect) return `${effect.type} ${effect.ranks.join(' ')}`
  if (effect.type === 'report') return `report ${effect.rank} ${effect.answer.status}`
  if ('twin' in effect) return `report ${effect.answer.node} same as ${effect.twin}`
  return 'rank' in effect ? `${effect.type} ${effect.rank}` : `done ${effect.outcome}`
}

/** Why an event cannot happen now; undefined if it can. */
const objection = (
  { wakeAt, nodes }: Round,
  hasBegun: boolean,
  { at, now }: { readonly at: number; readonly now: number },
  event: Event,
): string | undefined => {
  if (event.type === 'start') return hasBegun ? 'it starts only once' : undefined
  if (!hasBegun) return 'it has not started'
  if (wakeAt === Infinity) return 'it is over'
  if (at < rounded(now)) return 'this was earlier'
  if (at > rounded(wakeAt)) return `the timer rings at ${rounded(wakeAt)}`
  if (event.type === 'answer' && !nodes[event.rank]?.isInFlight) return 'no request is under way'
  return event.type === 'timer' && at < rounded(wakeAt) ? 'no timer is due' : undefined
}

/** What the driver does: it reports what has happened, and then lets the round decide. */
const happen = (round: Round, event: Event, now: number): readonly Effect[] => {
  switch (event.type) {
    case 'answer':
      return [
        ...round.reply(event.rank, answerOf(event.rank, event.word), now),
        ...round.proceed(now, event.age),
      ]
    case 'timer':
      return [...round.timer(now), ...round.proceed(now, now, true)]
    case 'abort':
      return round.abort(now)
    default:
      return round.proceed(now)
  }
}

/** Replays one round. @returns what follows an event. */
const replay = (kind: Kind, situation: Situation): ((at: number, event: Event) => string) => {
  const [operation, ruleOf] = kinds[kind]
  const { quorum = (situation.nodes >> 1) + 1 } = situation
  const round = roundOf(situation, ruleOf(quorum), operation)
  let hasBegun = false
  let now = 0
  return (at, event) => {
    const why = objection(round, hasBegun, { at, now }, event)
    if (why) return `impossible: ${why}`
    hasBegun = true
    // The line of a timer has its time rounded.
    now = event.type === 'timer' ? round.wakeAt : at
    const effects = happen(round, event, now).map(describe)
    const wake = round.wakeAt === Infinity ? 'over' : `wake at ${rounded(round.wakeAt)}`
    return [...effects, wake].join(', ')
  }
}

/**
 * Replays all events of a transcript. An event that cannot happen then is `impossible`, and is left out.
 *
 * @returns the transcript, with the effects as they are.
 */
export const runTranscript = (source: string): string => {
  const lines = source.split('\n')
  let follow: ReturnType<typeof replay> | undefined
  return parseTranscript(source)
    .map((line, index) => {
      if (line.type === 'comment') return lines[index]!
      if (line.type === 'round') {
        follow = replay(line.kind, line.situation)
        return lines[index]!
      }
      if (!follow) throw new Error(`line ${index + 1}: no round has been set up`)
      return eventLine(line.at, line.text, follow(line.at, line.event))
    })
    .join('\n')
}
