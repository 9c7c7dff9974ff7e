import { usualPace } from '../../../src/local/pace.ts'
import { pollRule } from '../../../src/records/rounds.ts'
import { type Rule, acquireRule, type Step } from '../../../src/core/rules/acquire.ts'
import { readRule, releaseRule, confirmRule } from '../../../src/core/operations.ts'
import { voteOf } from '../../../src/core/quorum.ts'
import { recordBallot } from './recorded-ballot.ts'
import { planOf, type Situation } from './situation.ts'
import { type Event, eventLine, type Kind, parseTranscript } from './transcript.ts'

/** What decides on the steps of each operation. A poll here is decided as a vote is. */
const nextOf: Readonly<Record<Kind, (quorum: number) => Rule<string>>> = {
  acquire: () => acquireRule,
  extend: () => confirmRule,
  release: () => releaseRule,
  inspect: () => readRule,
  poll: (quorum) => pollRule((answers) => voteOf(answers, quorum)),
}

/** Times in transcripts have one decimal. */
const rounded = (ms: number): number => Math.round(ms * 10) / 10

const describeStep = (step: Step<string>): string => {
  if ('ask' in step) return `ask ${step.ask.join(' ')}`
  if ('settle' in step) return `settle ${step.settle}`
  return step.until === Infinity ? 'wait for an answer' : `wait until ${rounded(step.until)}`
}

/** Why an event cannot follow the last step; undefined if it can. */
const objection = (
  kind: Kind,
  last: Step<string> | undefined,
  { at, now }: { readonly at: number; readonly now: number },
  event: Event,
): string | undefined => {
  if (event.type === 'start') return last && 'it starts only once'
  if (!last) return 'it has not started'
  // A release goes on after its result.
  if ('settle' in last && kind !== 'release') return 'it is settled'
  const until = 'until' in last ? rounded(last.until) : Infinity
  if (at < rounded(now)) return 'this was earlier'
  if (at > until) return `the timer rings at ${until}`
  return event.type === 'timer' && at < until ? 'no timer is due' : undefined
}

/** Replays one ballot. @returns what follows an event. */
const replay = (kind: Kind, situation: Situation): ((at: number, event: Event) => string) => {
  const next = nextOf[kind](planOf(situation).quorum)
  const ballot = recordBallot(situation, next, usualPace)
  const { seats } = ballot.view
  let last: Step<string> | undefined
  let now = 0
  return (at, event) => {
    const why = objection(kind, last, { at, now }, event)
    if (why) return `impossible: ${why}`
    // The line of a timer has its time rounded.
    now = event.type === 'timer' && last && 'until' in last ? last.until : at
    if ('index' in event) {
      const { index } = event
      if (!seats[index]?.request) return 'impossible: no request is under way'
      if (event.type === 'answer') ballot.enter(index, event.word, now)
      else if (event.type === 'timeout') ballot.expire(index)
      else ballot.cancel(index)
    }
    const steps = ballot.stepsAt(now)
    last = steps.at(-1)
    return steps.map(describeStep).join(', ')
  }
}

/**
 * Replays all events of a transcript. An event that cannot happen after the step before it is `impossible`, and is
 * left out.
 *
 * @returns the transcript, with the results as they are.
 */
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
      return eventLine(line.at, line.text, happen(line.at, line.event))
    })
    .join('\n')
}
