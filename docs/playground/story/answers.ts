import type { Message, Recording } from '../world/recording.ts'
import type { Step } from './step.ts'
import { clients, nodes, sentence, type Thing, thing } from './words.ts'

/** The verdicts of nodes, in words. */
const answer = (
  { client, to, verdict, holder, operation, slot }: Message,
  wanted: Thing,
): string => {
  const [node, name] = [nodes([to as number]), clients(client)]
  if (verdict === 'failed') return `The request of ${name} to ${node} fails.`
  if (verdict === 'quarantined') return `${node} abstains, since it has restarted.`
  if (verdict === 'locked' && wanted === 'slot') return `${node} has no free slot for ${name}.`
  if (verdict === 'locked')
    return `${node} refuses ${name}: it is held by ${clients(holder ?? client)}.`
  if (verdict === 'recorded')
    return `${node} has the answer of ${clients(holder ?? client)}, and returns it to ${name}.`
  if (operation === 'look') return `${node} has no answer to the request.`
  if (operation === 'promise')
    return verdict === 'granted'
      ? `${node} promises ${name} to accept no older record.`
      : `${node} refuses ${name}.`
  if (operation === 'record')
    return verdict === 'granted'
      ? `${node} has recorded the answer of ${name}.`
      : `${node} does not accept the record of ${name}.`
  if (operation === 'acquire')
    return verdict === 'granted'
      ? `${node} grants ${slot === undefined ? `the ${wanted}` : `slot ${slot + 1}`} to ${name}.`
      : `${node} refuses ${name}.`
  if (operation === 'extend')
    return verdict === 'granted'
      ? `${node} extends the ${wanted} of ${name}.`
      : `${node} no longer holds the ${wanted} of ${name}.`
  return verdict === 'granted'
    ? `${node} releases the ${wanted} of ${name}.`
    : `${node} did not hold the ${wanted} of ${name}.`
}

/** One step for each answer of a node, and for each that did not come. */
export const answerSteps = (recording: Recording): Step[] =>
  recording.messages.flatMap((message): Step[] => {
    const { to, client, operation, verdict, answeredAt, givenUpAt } = message
    // Those of waiting clients have sentences of their own.
    const isOfWaiting = ['subscribe', 'queue', 'leave', 'hello', 'wake'].includes(operation)
    if (to === 'store' || isOfWaiting) return []
    if (givenUpAt !== undefined) {
      const text = `${sentence(clients(client))} waits no longer for ${nodes([to])}.`
      return [{ at: givenUpAt, text, level: 'request', tone: 'bad' }]
    }
    if (answeredAt === undefined) return []
    const tone = verdict === 'granted' || verdict === 'recorded' ? 'good' : 'bad'
    const text = sentence(answer(message, thing(recording)))
    return [{ at: answeredAt, text, level: 'request', tone }]
  })
