import type { Message, Recording } from '../world/recording.ts'
import type { Step } from './step.ts'
import { clients, number, sentence, thing } from './words.ts'

/** The store's answer to a write. */
const answerOf = (recording: Recording, message: Message): Pick<Step, 'text' | 'tone'> => {
  // Each slot has counters of its own.
  const where = thing(recording) === 'slot' ? ' for this slot' : ''
  const { client, token = 0, verdict, highest = 0, executedAt = 0 } = message
  if (verdict !== 'stale') {
    return {
      text: `The store accepts the write of ${clients(client)}: it has seen no token above ${number(token)}${where}.`,
      tone: 'good',
    }
  }
  const writer = recording.store.findLast(
    (one) => one.at <= executedAt && one.token === highest,
  )?.writer
  const whose = writer === undefined ? '' : `, the token of ${clients(writer)}`
  return {
    text:
      `The store refuses the write of ${clients(client)}: its token ${number(token)} is lower than ` +
      `${number(highest)}${whose}. Nothing is overwritten.`,
    tone: 'bad',
  }
}

/** The steps in which holders write to the guarded store. */
export const writeSteps = (recording: Recording): Step[] =>
  recording.messages.flatMap((message): Step[] => {
    const { client, to, token = 0, sentAt, executedAt } = message
    if (to !== 'store') return []
    const name = sentence(clients(client))
    const text = `${name} writes to the store, with its fencing token ${number(token)}.`
    const sent: Step = { at: sentAt, level: 'key', text }
    if (executedAt === undefined) return [sent]
    return [sent, { at: executedAt, level: 'key', ...answerOf(recording, message) }]
  })
