import type { LockEvent } from '../../../src/index.ts'
import type { Fact, Recording } from '../world/recording.ts'
import { acquiredText, givenBack, refusedText } from './decisions.ts'
import type { Step } from './step.ts'
import type { Refused } from './votes.ts'
import { clients, duration, sentence, type Thing, thing } from './words.ts'

type Event = Extract<Fact, { type: 'event' }>
type Released = LockEvent & { readonly type: 'released' }

const releasedText = ({ result }: Released, client: number, held: Thing): string | undefined => {
  const name = clients(client)
  // The record has taken the place of the claim, or its client goes on to find out.
  if (held === 'claim') return undefined
  if (result === 'released') {
    return held === 'slot'
      ? `A majority confirms the release of ${name}: its seat is free.`
      : `A majority confirms the release of ${name}: the lock is free.`
  }
  if (result === 'unconfirmed') {
    return `Too few nodes confirm the release of ${name}. What they still hold expires by itself.`
  }
  return `The release of ${name} came too late: a majority no longer held its lock.`
}

/** Whether the call was refused at the moment at which it saw a split vote. */
const isRefusedNow = ({ facts }: Recording, { at, client }: Event): boolean =>
  facts.some(
    (fact) =>
      fact.type === 'event' &&
      fact.client === client &&
      fact.at === at &&
      fact.event.type === 'rejected',
  )

type Said = Pick<Step, 'text' | 'tone'>

const say = (recording: Recording, fact: Event): Said | undefined => {
  const { at, client, event } = fact
  const name = sentence(clients(client))
  switch (event.type) {
    case 'acquired':
      return { text: acquiredText(recording, client, at), tone: 'good' }
    case 'rejected':
      return { text: refusedText(recording, client, at, event as Refused), tone: 'bad' }
    case 'split':
      if (isRefusedNow(recording, fact)) return undefined
      if (thing(recording) === 'slot') {
        return {
          text:
            `${name} has no slot on a majority: each of its nodes gave it another one, or none.` +
            `${givenBack(recording, client, at)} It will look again in a moment.`,
        }
      }
      return {
        text:
          `${name} sees a split vote without a winner.${givenBack(recording, client, at)} ` +
          `It will look again in a moment.`,
      }
    case 'extended':
      return {
        text: `${name} has extended its ${thing(recording)}: it is valid for ${duration(event.expiresIn)} more.`,
      }
    case 'lost':
      return { text: `${name} learns that it has lost the ${thing(recording)}.`, tone: 'bad' }
    case 'released': {
      const text = releasedText(event, client, thing(recording))
      if (text === undefined) return undefined
      return event.result === 'released' ? { text, tone: 'good' } : { text }
    }
    default:
      return undefined
  }
}

/** The steps that the library reports by its events. */
export const outcomeSteps = (recording: Recording): Step[] =>
  recording.facts.flatMap((fact): Step[] => {
    const said = fact.type === 'event' ? say(recording, fact) : undefined
    return said ? [{ at: fact.at, level: 'key', ...said }] : []
  })
