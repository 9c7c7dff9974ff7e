import type { Recording } from '../world/recording.ts'
import type { Step } from './step.ts'
import { clients, number, sentence } from './words.ts'

/** The steps in which holders write to the guarded store. */
export const writeSteps = ({ messages, store }: Recording): Step[] =>
  messages.flatMap((message): Step[] => {
    const { client, to, token = 0, sentAt, executedAt, verdict, highest = 0 } = message
    if (to !== 'store') return []
    const name = sentence(clients(client))
    const sent: Step = {
      at: sentAt,
      level: 'key',
      text: `${name} writes to the store, with its fencing token ${number(token)}.`,
    }
    if (executedAt === undefined) return [sent]
    const writer = store.findLast(({ at, token }) => at <= executedAt && token === highest)?.writer
    const by = writer === undefined ? '' : `, the token of ${clients(writer)}`
    return verdict === 'stale'
      ? [
          sent,
          {
            at: executedAt,
            level: 'key',
            tone: 'bad',
            text: `The store refuses the write of ${clients(client)}: its token ${number(token)} is lower than ${number(highest)}${by}. Nothing is overwritten.`,
          },
        ]
      : [
          sent,
          {
            at: executedAt,
            level: 'key',
            tone: 'good',
            text: `The store accepts the write of ${clients(client)}: it has seen no token above ${number(token)}.`,
          },
        ]
  })
