import type { Message, Operation, Recording } from '../world/recording.ts'
import type { Step } from './step.ts'
import { asksOf, grantedIn } from './votes.ts'
import { clients, nodes, sentence } from './words.ts'

/** The requests that a client sends to several nodes at one moment. */
export type Batch = {
  readonly at: number
  readonly client: number
  readonly operation: Operation
  readonly attempt: number
  readonly nodes: readonly number[]
}

/** The requests to nodes, by the moment at which they were sent. */
export const batchesOf = ({ messages }: Recording): readonly Batch[] => {
  const batches = new Map<string, Batch & { nodes: number[] }>()
  for (const { client, operation, attempt, sentAt: at, to } of messages) {
    if (to === 'store') continue
    const id = [client, operation, attempt, at].join()
    const batch = batches.get(id) ?? { at, client, operation, attempt, nodes: [] }
    batch.nodes.push(to)
    batches.set(id, batch)
  }
  return [...batches.values()]
}

/** The first requests of clients that click at the same moment. */
const firstAsks = (batches: readonly Batch[]): Step[] => {
  const groups = Map.groupBy(batches, ({ at, nodes }) => `${at} ${nodes.join()}`)
  return [...groups.values()].map(([first, ...others]) => {
    const names = clients(first!.client, ...others.map(({ client }) => client))
    const asked = nodes(first!.nodes)
    const text =
      others.length > 0
        ? `${names} click at the same moment. Each asks ${asked} for the lock.`
        : `${names} clicks, and asks ${asked} for the lock.`
    return { at: first!.at, text: sentence(text), level: 'key' }
  })
}

/** A further round of an attempt: of a leader, or of a frugal client after its first node. */
const furtherAsk = (recording: Recording, batch: Batch): Step => {
  const { at, client, attempt } = batch
  const before = asksOf(recording, client, attempt, at).filter(({ sentAt }) => sentAt < at)
  const granted = grantedIn(before, at)
  const isNew = batch.nodes.every((node) => !before.some(({ to }) => to === node))
  const asked = nodes(batch.nodes)
  const text =
    isNew && granted.length > 0
      ? `${sentence(nodes(granted))} granted the lock to ${clients(client)}, which now asks ${asked}, too.`
      : isNew
        ? `${sentence(clients(client))} waits no longer for the node it asked first, and asks ${asked}, too.`
        : `The vote is split. ${sentence(clients(client))} has ${nodes(granted)}, the first of those ` +
          `that answered, so it leads: it keeps what it has, and asks ${asked} again.`
  return { at, text, level: 'key' }
}

const isFirst = (message: Batch, batches: readonly Batch[]): boolean =>
  batches.find(({ client }) => client === message.client) === message

/** The steps in which clients ask for the lock. */
export const askingSteps = (recording: Recording): Step[] => {
  const batches = batchesOf(recording).filter(({ operation }) => operation === 'acquire')
  const first = batches.filter((batch) => isFirst(batch, batches))
  const later = batches.filter((batch) => !first.includes(batch))
  return [
    ...firstAsks(first),
    ...later.map((batch): Step => {
      const { at, client, attempt } = batch
      const isFurther = asksOf(recording, client, attempt, at).some(({ sentAt }) => sentAt < at)
      if (isFurther) return furtherAsk(recording, batch)
      const text = `${sentence(clients(client))} tries again: it asks ${nodes(batch.nodes)}.`
      return { at, text, level: 'request' }
    }),
  ]
}

/** The verdicts of nodes, in words. */
const answer = ({ client, to, verdict, holder, operation }: Message): string => {
  const [node, name] = [nodes([to as number]), clients(client)]
  if (verdict === 'failed') return `The request of ${name} to ${node} fails.`
  if (verdict === 'quarantined') return `${node} abstains, since it has restarted.`
  if (verdict === 'locked')
    return `${node} refuses ${name}: it is held by ${clients(holder ?? client)}.`
  if (operation === 'acquire')
    return verdict === 'granted' ? `${node} grants the lock to ${name}.` : `${node} refuses ${name}.`
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
