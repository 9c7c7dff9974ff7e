import type { Recording } from '../world/recording.ts'
import { batchesOf } from './batches.ts'
import type { Step } from './step.ts'
import { clients, nodes, sentence } from './words.ts'

const askedFor = {
  look: (asked: string) => `has found an answer, and asks ${asked} whether they have it, too.`,
  promise: (asked: string) => `asks ${asked} to accept a record of it, and of nobody before.`,
}

/** The steps of recorded answers: how clients find and spread them, and who gets which one. */
export const recordSteps = (recording: Recording): Step[] => [
  ...batchesOf(recording).flatMap(({ at, client, operation, nodes: asked }): Step[] => {
    if (operation !== 'look' && operation !== 'promise') return []
    const text = `${sentence(clients(client))} ${askedFor[operation](nodes(asked))}`
    return [{ at, level: 'key', text }]
  }),
  ...recording.facts.flatMap((fact): Step[] => {
    if (fact.type !== 'answered') return []
    const { at, client, by } = fact
    const text =
      client === by
        ? `A majority has recorded the answer of ${clients(by)}, so it may be sent.`
        : `${sentence(clients(client))} finds the answer of ${clients(by)} on a majority, and gets the ` +
          `same one. Its own request is not processed.`
    return [{ at, level: 'key', tone: 'good', text }]
  }),
]
