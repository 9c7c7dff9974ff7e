import type { Message, Recording } from '../world/recording.ts'
import { nodeCount } from '../world/settings.ts'
import { batchesOf } from './batches.ts'
import { asksOf, attemptAt, grantedIn, majority, type Refused, rivalsOf } from './votes.ts'
import { slotAcquiredText, slotRefusedText } from './slots.ts'
import { afterText, clients, nodes, onlySome, sentence, thing } from './words.ts'

// How a client explains the end of its call: by the answers that it had by then.

/** The nodes that have not answered, or failed. */
const silentIn = (asks: readonly Message[], at: number): number[] => {
  const hasAnswered = ({ answeredAt = Infinity, verdict }: Message): boolean =>
    answeredAt <= at && verdict !== 'failed'
  const heard = new Set(asks.filter(hasAnswered).map(({ to }) => to))
  return [...new Set(asks.map(({ to }) => to as number))].filter((node) => !heard.has(node))
}

/** Why a client holds the lock. */
export const acquiredText = (recording: Recording, client: number, at: number): string => {
  const asks = asksOf(recording, client, attemptAt(recording, client, at), at)
  if (thing(recording) === 'slot') return slotAcquiredText(recording, client, at, asks)
  const granted = grantedIn(asks, at)
  const silent = silentIn(asks, at)
  const name = clients(client)
  const majorityText = granted.length < nodeCount ? ', and they are a majority' : ''
  const silentText = silent.length > 0 ? ` It does not wait for ${nodes(silent)}.` : ''
  return (
    `${sentence(nodes(granted))} granted the ${thing(recording)} to ${name}${majorityText}. ` +
    `${sentence(name)} holds the ${thing(recording)}.${silentText}`
  )
}

/** The result of a client's attempt. */
export const givenBack = (recording: Recording, client: number, at: number): string => {
  const release = batchesOf(recording).find(
    (batch) => batch.client === client && batch.operation === 'release' && batch.at === at,
  )
  return release ? ` It releases ${nodes(release.nodes)}.` : ''
}

/** The number of nodes that voted, for or against. */
const votesIn = (asks: readonly Message[], at: number): number =>
  new Set(
    asks
      .filter(({ answeredAt = Infinity }) => answeredAt <= at)
      .filter(({ verdict }) => verdict === 'granted' || verdict === 'locked')
      .map(({ to }) => to),
  ).size

/** Why a client is refused. */
export const refusedText = (
  recording: Recording,
  client: number,
  at: number,
  event: Refused,
): string => {
  const asks = asksOf(recording, client, attemptAt(recording, client, at), at)
  const name = sentence(clients(client))
  const after = afterText(event.elapsed)
  if (event.reason === 'unavailable') {
    return (
      `${onlySome(votesIn(asks, at))} voted for or against ${clients(client)}. Without a majority ` +
      `nobody gets the ${thing(recording)}: ${clients(client)} is told that it is unavailable${after}.`
    )
  }
  if (thing(recording) === 'slot') return slotRefusedText(client, event)
  const rivals = [...rivalsOf(event, client)]
  const winner = rivals.find(([, held]) => held.length >= majority)
  if (winner) {
    return (
      `${name} sees that ${clients(winner[0])} holds the majority, and is refused${after}.` +
      givenBack(recording, client, at)
    )
  }
  const lowest = rivals.toSorted(([, a], [, b]) => Math.min(...a) - Math.min(...b))[0]
  if (!lowest) return `${name} is refused${after}.`
  const [rival, held] = lowest
  if (asks.length === 1) {
    return (
      `${name} asked only ${nodes(held)}, which ${clients(rival)} holds. That is enough: it is ` +
      `refused${after}.`
    )
  }
  return (
    `The vote is split. ${name} sees that ${clients(rival)} has ${nodes([Math.min(...held)])}, and ` +
    `yields: it is refused${after}.${givenBack(recording, client, at)}`
  )
}
