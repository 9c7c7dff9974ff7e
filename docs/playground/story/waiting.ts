import { isPush, type Fact, type Message, type Recording } from '../world/recording.ts'
import { isWaking } from '../world/settings.ts'
import type { Step } from './step.ts'
import { majority, type Refused, rivalsOf } from './votes.ts'
import { clients, duration, nodes, sentence, thing } from './words.ts'

type Event = Extract<Fact, { type: 'event' }>

/** What a client has found that now waits. */
const foundText = (recording: Recording, client: number, event: Refused): string => {
  if (event.reason === 'unavailable') return 'gets no answer from a majority'
  if (thing(recording) === 'slot') return 'finds no free slot'
  const winner = [...rivalsOf(event, client)].find(([, held]) => held.length >= majority)
  return winner ? `sees that ${clients(winner[0])} holds the majority` : 'is refused'
}

/** The event `waiting`: the first attempt of a call was refused, and more will follow. */
const waitingText = (recording: Recording, { client, event }: Event): string => {
  const { settings } = recording
  const goesOn = isWaking(settings)
    ? 'Until a message of a node wakes it, it asks only now and then.'
    : 'It asks again and again, after random pauses.'
  return (
    `${sentence(clients(client))} ${foundText(recording, client, event as Refused)}. ` +
    `It waits for up to ${duration(settings.wait)}. ${goesOn}`
  )
}

/** What a message between a waiting client and a node means when it is sent, and when it has arrived. */
const texts = (
  { operation, verdict }: Message,
  client: string,
  node: string,
): { sent?: string; answered?: string } => {
  const isWell = verdict !== 'failed'
  switch (operation) {
    case 'subscribe':
      return {
        sent: `${client} opens a stream to ${node}, and subscribes to a channel of its own.`,
        answered: isWell
          ? `${node} has opened the stream of ${client}.`
          : `${node} opens no stream.`,
      }
    case 'queue':
      return {
        sent: `${client} joins the queue of waiters on ${node}.`,
        answered: isWell
          ? `${node} has ${client} in its queue.`
          : `${client} cannot join the queue on ${node}.`,
      }
    case 'leave':
      return { sent: `${client} leaves the queue on ${node}.` }
    case 'hello':
      return { answered: `The message hello of ${node} reaches ${client}: its stream works.` }
    case 'wake':
      return {
        sent: `The lock was released on ${node}, which sends a message to ${client}, the first of its queue.`,
        answered: `The message wakes ${client}, which tries at once.`,
      }
    default:
      return {}
  }
}

const eventSteps = (recording: Recording): Step[] =>
  recording.facts.flatMap((fact): Step[] =>
    fact.type === 'event' && fact.event.type === 'waiting'
      ? [{ at: fact.at, level: 'key', text: waitingText(recording, fact) }]
      : [],
  )

const isKey = ({ operation }: Message): boolean => operation !== 'queue' && operation !== 'leave'

const messageSteps = ({ messages }: Recording): Step[] =>
  messages.flatMap((message): Step[] => {
    const { client, to, sentAt, answeredAt, operation } = message
    if (to === 'store') return []
    const { sent, answered } = texts(message, clients(client), nodes([to]))
    const steps: Step[] = []
    if (sent) {
      steps.push({ at: sentAt, text: sentence(sent), level: isKey(message) ? 'key' : 'request' })
    }
    if (answered && answeredAt !== undefined) {
      const step: Step = {
        at: answeredAt,
        text: sentence(answered),
        level: isPush(message) ? 'key' : 'request',
      }
      steps.push(operation === 'wake' ? { ...step, tone: 'good' } : step)
    }
    return steps
  })

/** The steps in which clients wait, and nodes wake them. */
export const waitingSteps = (recording: Recording): Step[] => [
  ...eventSteps(recording),
  ...messageSteps(recording),
]
