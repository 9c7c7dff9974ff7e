import type { Fact, Recording } from '../world/recording.ts'
import { type Batch, batchesOf } from './batches.ts'
import type { Step } from './step.ts'
import { clients, duration, nodes, number, sentence, type Thing, thing } from './words.ts'

const heldText = (recording: Recording, { at, client, operation, nodes: asked }: Batch): string => {
  const name = sentence(clients(client))
  if (operation === 'release') return `${name} releases the ${thing(recording)} on ${nodes(asked)}.`
  if (operation === 'record')
    return `${name} has processed the request, and asks ${nodes(asked)} to record its answer.`
  const hasToken = recording.facts.some(
    (fact) => fact.type === 'token' && fact.client === client && fact.at < at,
  )
  if (hasToken) return `${name} asks ${nodes(asked)} to extend its ${thing(recording)}.`
  return (
    `${name} asks ${nodes(asked)} to agree on its fencing token: their counters differ, since rivals held ` +
    `some of them before.`
  )
}

/** The steps in which clients ask nodes for something about a lock that they hold. */
export const heldSteps = (recording: Recording): Step[] =>
  batchesOf(recording)
    .filter(({ operation }) => ['extend', 'release', 'record'].includes(operation))
    .filter(({ at, client }) =>
      recording.holds.some((hold) => hold.client === client && hold.from <= at),
    )
    .map((batch) => ({ at: batch.at, level: 'key', text: heldText(recording, batch) }))

const factText = (fact: Fact, held: Thing): Pick<Step, 'text' | 'tone'> | undefined => {
  if (fact.type === 'token') {
    const [name, token] = [clients(fact.client), number(fact.token)]
    return {
      text: `The fencing token of ${name} is ${token}, higher than all before. It starts to work.`,
    }
  }
  if (fact.type === 'tokenless') {
    const name = sentence(clients(fact.client))
    return { text: `${name} gets no fencing token from a majority, and stops.`, tone: 'bad' }
  }
  if (fact.type !== 'checked') return undefined
  const name = sentence(clients(fact.client))
  if (!fact.isHeld) {
    return {
      text: `${name} checks its ${held}, which has expired, and does not write.`,
      tone: 'bad',
    }
  }
  const left = duration(fact.expiresIn)
  return {
    text: `${name} checks its ${held}, which is valid for ${left} more, and prepares its write.`,
  }
}

/** The steps of tokens, and of the checks before a write. */
export const tokenSteps = (recording: Recording): Step[] =>
  recording.facts.flatMap((fact): Step[] => {
    const said = factText(fact, thing(recording))
    return said ? [{ at: fact.at, level: 'key', ...said }] : []
  })
