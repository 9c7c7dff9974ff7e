import { clients, number, receiver } from '../story/words.ts'
import type { Message, Recording } from '../world/recording.ts'

/** A request as the table shows it. */
export type RequestRow = Record<'sent' | 'from' | 'to' | 'request' | 'answer' | 'after', string>

const ms = (time: number): string => `${time.toFixed(0)} ms`

const answerOf = (
  { verdict, holder, answeredAt, givenUpAt, highest }: Message,
  time: number,
): string => {
  if (answeredAt !== undefined && answeredAt <= time) {
    if (verdict === 'locked') return `locked by ${clients(holder!)}`
    if (verdict === 'recorded') return `has the answer of ${clients(holder!)}`
    return verdict === 'stale' ? `stale: ${number(highest!)} was seen` : verdict!
  }
  return givenUpAt !== undefined && givenUpAt <= time ? 'no answer' : 'under way'
}

/** The requests that were sent up to a moment, in order. */
export const requestRows = ({ messages }: Recording, time: number): readonly RequestRow[] =>
  messages
    .filter(({ sentAt }) => sentAt <= time)
    .map((message) => {
      const { client, to, operation, sentAt, answeredAt = Infinity, token } = message
      return {
        sent: ms(sentAt),
        from: clients(client),
        to: receiver(to),
        request: token === undefined ? operation : `${operation} with token ${number(token)}`,
        answer: answerOf(message, time),
        after: answeredAt <= time ? ms(answeredAt - sentAt) : '',
      }
    })
