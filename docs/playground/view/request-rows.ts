import { clients, number, receiver } from '../story/words.ts'
import { isPush, type Message, type Recording } from '../world/recording.ts'
import { slotsOf } from '../world/settings.ts'

/** A request as the table shows it. */
export type RequestRow = Record<'sent' | 'from' | 'to' | 'request' | 'answer' | 'after', string>

const ms = (time: number): string => `${time.toFixed(0)} ms`

const answerOf = (message: Message, time: number, hasSlots: boolean): string => {
  const { verdict, holder, slot, answeredAt, givenUpAt, highest } = message
  if (answeredAt !== undefined && answeredAt <= time) {
    if (isPush(message)) return 'received'
    if (slot !== undefined) return `granted slot ${slot + 1}`
    if (verdict === 'locked' && hasSlots) return 'no free slot'
    if (verdict === 'locked') return `locked by ${clients(holder!)}`
    if (verdict === 'recorded') return `has the answer of ${clients(holder!)}`
    return verdict === 'stale' ? `stale: ${number(highest!)} was seen` : verdict!
  }
  return givenUpAt !== undefined && givenUpAt <= time ? 'no answer' : 'under way'
}

/** The requests that were sent up to a moment, in order. */
export const requestRows = (
  { messages, settings }: Recording,
  time: number,
): readonly RequestRow[] =>
  messages
    .filter(({ sentAt }) => sentAt <= time)
    .map((message) => {
      const { client, to, operation, sentAt, answeredAt = Infinity, token } = message
      return {
        sent: ms(sentAt),
        from: isPush(message) ? receiver(to) : clients(client),
        to: isPush(message) ? clients(client) : receiver(to),
        request: token === undefined ? operation : `${operation} with token ${number(token)}`,
        answer: answerOf(message, time, slotsOf(settings) > 1),
        after: answeredAt <= time ? ms(answeredAt - sentAt) : '',
      }
    })
