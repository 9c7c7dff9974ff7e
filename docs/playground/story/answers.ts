import type { Message, Recording } from '../world/recording.ts'
import type { Step } from './step.ts'
import { clients, nodes, sentence } from './words.ts'

/** The verdicts of nodes, in words. */
const answer = ({ client, to, verdict, holder, operation }: Message): string => {
  const [node, name] = [nodes([to as number]), clients(client)]
  if (verdict === 'failed') return `The request of ${name} to ${node} fails.`
  if (verdict === 'quarantined') return `${node} abstains, since it has restarted.`
  if (verdict === 'locked')
    return `${node} refuses ${name}: it is held by ${clients(holder ?? client)}.`
  if (operation === 'acquire')
    return verdict === 'granted'
      ? `${node} grants the lock to ${name}.`
      : `${node} refuses ${name}.`
  if (operation === 'extend')
    return verdict === 'granted'
      ? `${node} extends the lock of ${name}.`
      : `${node} no longer holds the lock of ${name}.`
  return verdict === 'granted'
    ? `${node} releases the lock of ${name}.`
    : `${node} did not hold the lock of ${name}.`
}

/** One step for each answer of a node, and for each that did not come. */
export const answerSteps = ({ messages }: Recording): Step[] =>
  messages.flatMap((message): Step[] => {
    const { to, client, verdict, answeredAt, givenUpAt } = message
    if (to === 'store') return []
    if (givenUpAt !== undefined) {
      const text = `${sentence(clients(client))} waits no longer for ${nodes([to])}.`
      return [{ at: givenUpAt, text, level: 'request', tone: 'bad' }]
    }
    if (answeredAt === undefined) return []
    const tone = verdict === 'granted' ? 'good' : 'bad'
    return [{ at: answeredAt, text: sentence(answer(message)), level: 'request', tone }]
  })
