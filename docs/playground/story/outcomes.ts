import type { Fact, Message, Recording } from '../world/recording.ts'
import { batchesOf } from './asking.ts'
import type { Step } from './step.ts'
import { asksOf, attemptAt, grantedIn, majority, rivalsOf } from './votes.ts'
import { clients, duration, nodes, number, sentence, share } from './words.ts'

type Event = Extract<Fact, { type: 'event' }>
type EventOf<Type> = Event['event'] & { readonly type: Type }

/** `, and does not wait for node 3`, of nodes that have not answered. */
const withoutNodes = (asks: readonly Message[], at: number): string => {
  const missing = asks.filter(
    ({ answeredAt = Infinity, verdict, sentAt }) =>
      (answeredAt > at || verdict === 'failed') && sentAt <= at,
  )
  const silent = new Set(missing.map(({ to }) => to as number))
  for (const { to, answeredAt = Infinity } of asks) if (answeredAt <= at) silent.delete(to as number)
  return silent.size > 0 ? ` It does not wait for ${nodes([...silent])}.` : ''
}

const acquired = (recording: Recording, { at, client }: Event): string => {
  const asks = asksOf(recording, client, attemptAt(recording, client, at), at)
  const granted = grantedIn(asks, at)
  const name = sentence(clients(client))
  const have = granted.length === 5 ? 'granted the lock' : 'are a majority'
  return (
    `${sentence(nodes(granted))} granted the lock to ${clients(client)}` +
    `${have === 'are a majority' ? ', and they are a majority' : ''}. ${name} holds the lock.` +
    withoutNodes(asks, at)
  )
}

/** What a client gives back when it is refused. */
const givenBack = (recording: Recording, client: number, at: number): string => {
  const release = batchesOf(recording).find(
    (batch) => batch.client === client && batch.operation === 'release' && batch.at === at,
  )
  return release ? ` It gives back ${nodes(release.nodes)}.` : ''
}

const refused = (recording: Recording, { at, client }: Event, event: EventOf<'rejected'>): string => {
  const asks = asksOf(recording, client, attemptAt(recording, client, at), at)
  const name = sentence(clients(client))
  if (event.reason === 'unavailable') {
    const count = new Set(
      asks.filter(({ answeredAt = Infinity, verdict }) => answeredAt <= at && verdict !== 'failed' && verdict !== 'quarantined').map(({ to }) => to),
    ).size
    return (
      `Only ${share(count)} voted for or against ${clients(client)}. Without a majority nobody gets the ` +
      `lock, so ${clients(client)} is told that it is unavailable.`
    )
  }
  const rivals = [...rivalsOf(event, client)]
  const winner = rivals.find(([, held]) => held.length >= majority)
  const waited = event.elapsed > 250 ? ` after ${duration(event.elapsed)}` : ''
  if (winner)
    return `${name} sees that ${clients(winner[0])} holds the majority, and is refused${waited}.` + givenBack(recording, client, at)
  const [first] = rivals.toSorted(([, a], [, b]) => Math.min(...a) - Math.min(...b))
  if (!first) return `${name} is refused${waited}.`
  const [rival, held] = first
  if (asks.length === 1)
    return `${name} asked only ${nodes(held)}, which ${clients(rival)} holds. That is enough: it is refused${waited}.`
  return (
    `The vote is split. ${name} sees that ${clients(rival)} has ${nodes([Math.min(...held)])}, and gives way: ` +
    `it is refused${waited}.` +
    givenBack(recording, client, at)
  )
}

const released = (event: EventOf<'released'>, client: number): string => {
  if (event.result === 'released') return `A majority confirms the release of ${clients(client)}: the lock is free.`
  if (event.result === 'expired')
    return `The nodes answer ${clients(client)} that they no longer held its lock. The release changed nothing.`
  return `Too few nodes confirm the release of ${clients(client)}. What they still hold expires by itself.`
}

/** The steps that the library reports by its events. */
export const outcomeSteps = (recording: Recording): Step[] =>
  recording.facts.flatMap((fact): Step[] => {
    if (fact.type !== 'event') return []
    const { at, client, event } = fact
    const key = (text: string, tone?: Step['tone']): Step[] => [{ at, text, level: 'key', ...(tone && { tone }) }]
    const name = sentence(clients(client))
    switch (event.type) {
      case 'acquired':
        return key(acquired(recording, fact), 'good')
      case 'rejected':
        return key(refused(recording, fact, event as EventOf<'rejected'>), 'bad')
      case 'split': {
        const isLast = recording.facts.some(
          (other) => other.type === 'event' && other.client === client && other.at === at && other.event.type === 'rejected',
        )
        if (isLast) return []
        return key(`${name} sees a split vote without a winner.${givenBack(recording, client, at)} It will look again in a moment.`)
      }
      case 'extended':
        return key(`${name} has extended its lock: it is valid for ${duration(event.expiresIn)} more.`)
      case 'lost':
        return key(`${name} learns that it has lost the lock.`, 'bad')
      case 'released':
        return key(released(event as EventOf<'released'>, client), event.result === 'released' ? 'good' : undefined)
      default:
        return []
    }
  })

/** The steps in which clients begin to release or to extend a lock that they hold. */
export const holderSteps = (recording: Recording): Step[] => {
  const batches = batchesOf(recording)
  const { facts } = recording
  return batches.flatMap(({ at, client, operation, nodes: asked }): Step[] => {
    const name = sentence(clients(client))
    const hold = recording.holds.find((one) => one.client === client && one.from <= at)
    if (!hold || operation === 'acquire') return []
    if (operation === 'release')
      return [{ at, level: 'key', text: `${name} is done, and releases the lock on ${nodes(asked)}.` }]
    const hasToken = facts.some((fact) => fact.type === 'token' && fact.client === client && fact.at < at)
    const text = hasToken
      ? `${name} asks ${nodes(asked)} to extend its lock.`
      : `Rivals held some of these nodes before, so their counters differ. ${name} asks ${nodes(asked)} to agree on one number, its fencing token.`
    return [{ at, level: 'key', text }]
  })
}

/** The steps of tokens, and of the checks before a write. */
export const tokenSteps = ({ facts }: Recording): Step[] =>
  facts.flatMap((fact): Step[] => {
    const { at } = fact
    if (fact.type === 'token')
      return [{ at, level: 'key', text: `The fencing token of ${clients(fact.client)} is ${number(fact.token)}, higher than all before. It starts to work.` }]
    if (fact.type !== 'checked') return []
    const name = sentence(clients(fact.client))
    return fact.isHeld
      ? [{ at, level: 'key', text: `${name} checks its lock, which is valid for ${duration(fact.expiresIn)} more, and prepares its write.` }]
      : [{ at, level: 'key', tone: 'bad', text: `${name} checks its lock, which has expired, and does not write.` }]
  })
