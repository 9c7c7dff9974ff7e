import type { Recording } from '../world/recording.ts'
import { type Batch, batchesOf } from './batches.ts'
import { furtherSlotText } from './slots.ts'
import type { Step } from './step.ts'
import { asksOf, grantedIn } from './votes.ts'
import { clients, nodes, sentence, type Thing, thing } from './words.ts'

/** Any of the slots will do. */
const article = (wanted: Thing): string => (wanted === 'slot' ? 'a' : 'the')

/** The first requests of clients that click at the same moment. */
const firstAsks = (batches: readonly Batch[], wanted: Thing): Step[] => {
  const groups = new Map<string, Batch[]>()
  for (const batch of batches) {
    const id = `${batch.at} ${batch.nodes.join()}`
    groups.set(id, [...(groups.get(id) ?? []), batch])
  }
  return [...groups.values()].map(([first, ...others]) => {
    const names = clients(first!.client, ...others.map(({ client }) => client))
    const asked = nodes(first!.nodes)
    const text =
      others.length > 0
        ? `${names} click at the same moment. Each asks ${asked} for ${article(wanted)} ${wanted}.`
        : `${names} clicks, and asks ${asked} for ${article(wanted)} ${wanted}.`
    return { at: first!.at, text: sentence(text), level: 'key' }
  })
}

/** A further round of an attempt: of a leader, or of a frugal client after its first node. */
const furtherAsk = (recording: Recording, batch: Batch): Step => {
  const { at, client, attempt, wanted } = batch
  if (wanted !== undefined) {
    return { at, text: furtherSlotText(recording, batch, wanted), level: 'key' }
  }
  const before = asksOf(recording, client, attempt, at).filter(({ sentAt }) => sentAt < at)
  const granted = grantedIn(before, at)
  const isNew = batch.nodes.every((node) => !before.some(({ to }) => to === node))
  const asked = nodes(batch.nodes)
  const text =
    isNew && granted.length > 0
      ? `${sentence(nodes(granted))} granted the ${thing(recording)} to ${clients(client)}, which now asks ${asked}, too.`
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
    ...firstAsks(first, thing(recording)),
    ...later.map((batch): Step => {
      const { at, client, attempt } = batch
      const isFurther = asksOf(recording, client, attempt, at).some(({ sentAt }) => sentAt < at)
      if (isFurther) return furtherAsk(recording, batch)
      const text = `${sentence(clients(client))} tries again: it asks ${nodes(batch.nodes)}.`
      return { at, text, level: 'key' }
    }),
  ]
}
