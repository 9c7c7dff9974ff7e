import type { LockEvent } from '../../../src/index.ts'
import type { Message, Recording } from '../world/recording.ts'
import { ownerOf } from '../world/secrets.ts'
import { nameOf } from '../world/servers.ts'
import { nodeCount } from '../world/settings.ts'

/** The number of nodes that must grant a lock. */
export const majority = Math.floor(nodeCount / 2) + 1

/** The requests of an attempt to acquire the lock, up to a moment. */
export const asksOf = (
  { messages }: Recording,
  client: number,
  attempt: number,
  at: number,
): readonly Message[] =>
  messages.filter(
    (message) =>
      message.client === client &&
      message.attempt === attempt &&
      message.operation === 'acquire' &&
      message.sentAt <= at,
  )

/** The attempt of a client at a moment. */
export const attemptAt = ({ messages }: Recording, client: number, at: number): number =>
  messages.findLast(
    (message) =>
      message.client === client && message.operation === 'acquire' && message.sentAt <= at,
  )?.attempt ?? 0

/** The nodes whose last answer to these requests, up to a moment, was a grant. */
export const grantedIn = (asks: readonly Message[], at: number): number[] => {
  const granted = new Set<number>()
  for (const { to, verdict, answeredAt = Infinity } of asks) {
    if (answeredAt > at || to === 'store') continue
    if (verdict === 'granted') granted.add(to)
  }
  return [...granted].toSorted((a, b) => a - b)
}

/** The end of a call that was refused. */
export type Refused = LockEvent & { readonly type: 'rejected' }

/** The nodes and their holders, as a refused client has seen them. */
export const rivalsOf = (event: Refused, client: number): Map<number, number[]> => {
  const rivals = new Map<number, number[]>()
  for (const { node, holder } of event.nodes) {
    const rival = holder === undefined ? client : ownerOf(holder).client
    if (rival === client) continue
    const index = Array.from({ length: nodeCount }, (_, index) => nameOf(index)).indexOf(node)
    rivals.set(rival, [...(rivals.get(rival) ?? []), index])
  }
  return rivals
}
