import { usualPace } from '../../../src/local/pace.ts'
import {
  type NextStep,
  nextOfInspection,
  nextOfPoll,
  nextOfRelease,
  nextOfVote,
  nextStep,
  type Step,
} from '../../../src/vote/next-step.ts'
import { voteOf } from '../../../src/vote/tally.ts'
import { type RecordedBallot, recordBallot } from './recorded-ballot.ts'
import type { Situation } from './situation.ts'
import { type Event, eventLine, type Kind, parseTranscript } from './transcript.ts'

/** What decides on the steps of each operation. A poll here is decided as a vote is. */
const nextOf = (kind: Kind, { nodes, quorum = (nodes >> 1) + 1 }: Situation): NextStep<string> => {
  switch (kind) {
    case 'acquire':
      return nextStep
    case 'extend':
      return nextOfVote
    case 'release':
      return nextOfRelease
    case 'inspect':
      return nextOfInspection
    case 'poll':
      return nextOfPoll((answers) => voteOf(answers, quorum) !== undefined)
  }
}

/** Times in transcripts have one decimal. */
const rounded = (ms: number): number => Math.round(ms * 10) / 10

const describeStep = (step: Step<string>): string => {
  if ('ask' in step) return `ask ${step.ask.join(' ')}`
  if ('settle' in step) return `settle ${step.settle}`
  return step.until === Infinity ? 'wait for an answer' : `wait until ${rounded(step.until)}`
}

/** Replays one ballot. @returns what follows an event. */
const replay = (kind: Kind, situation: Situation): ((at: number, event: Event) => string) => {
  const ballot: RecordedBallot<string> = recordBallot(
    situation,
    nextOf(kind, situation),
    usualPace,
  )
  const { seats } = ballot.view
  let last: Step<string> | undefined
  let now = 0
  return (at, event) => {
    const until = last && 'until' in last ? last.until : Infinity
    const isRing = event.type === 'timer'
    if ((event.type === 'start') !== (last === undefined)) throw new Error('start comes first, once')
    // A release goes on after its result.
    if (last && 'settle' in last && kind !== 'release') throw new Error('the ballot is over')
    if (at < rounded(now)) throw new Error('goes back in time')
    if (at > rounded(until)) throw new Error(`nothing happens at ${rounded(until)}`)
    if (isRing && at !== rounded(until)) throw new Error('no timer is due')
    now = isRing ? until : at
    if ('index' in event) {
      const { index } = event
      if (!seats[index]?.request) throw new Error(`node ${index} has no request`)
      if (event.type === 'answer') ballot.enter(index, event.word, now)
      else if (event.type === 'timeout') ballot.expire(index)
      else ballot.cancel(index)
    }
    const steps = ballot.stepsAt(now)
    last = steps.at(-1)
    return steps.map(describeStep).join(', ')
  }
}

/** Replays all events of a transcript. @returns the transcript with the results as they are. */
export const runTranscript = (source: string): string => {
  const lines = source.split('\n')
  let happen: ReturnType<typeof replay> | undefined
  return parseTranscript(source)
    .map((line, index) => {
      if (line.type === 'comment') return lines[index]!
      if (line.type === 'ballot') {
        happen = replay(line.kind, line.situation)
        return lines[index]!
      }
      if (!happen) throw new Error(`line ${index + 1}: no ballot has been set up`)
      try {
        return eventLine(line.at, line.text, happen(line.at, line.event))
      } catch (error) {
        throw new Error(`line ${index + 1}: ${(error as Error).message}`, { cause: error })
      }
    })
    .join('\n')
}
