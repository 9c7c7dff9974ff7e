import type { Message, Recording } from '../world/recording.ts'
import type { Batch } from './batches.ts'
import type { Refused } from './votes.ts'
import { afterText, clients, nodes, sentence } from './words.ts'

// What happens around the slots of a lock with several holders, in words. Slots count from 0.

const name = (slot: number): string => `slot ${slot + 1}`

/** The nodes that have granted this slot to a client, by the answers up to a moment. */
const grantedOn = (asks: readonly Message[], slot: number, at: number): number[] => {
  const answered = asks.filter(({ answeredAt = Infinity }) => answeredAt <= at)
  const granted = answered.filter((ask) => ask.slot === slot && ask.verdict === 'granted')
  return [...new Set(granted.map(({ to }) => to as number))].toSorted((a, b) => a - b)
}

/** Why a client holds a slot. */
export const slotAcquiredText = (
  { holds }: Recording,
  client: number,
  at: number,
  asks: readonly Message[],
): string => {
  const slot = holds.find((one) => one.client === client && one.from >= at)?.slot ?? 0
  const who = clients(client)
  return (
    `${sentence(nodes(grantedOn(asks, slot, at)))} granted ${name(slot)} to ${who}, and they are a ` +
    `majority. ${sentence(who)} has a seat: ${name(slot)}.`
  )
}

/** Why a client gets no slot, although enough nodes answer. */
export const slotRefusedText = (client: number, { elapsed }: Refused): string =>
  `The house is full: ${clients(client)} finds no slot with a free majority, and is refused` +
  `${afterText(elapsed)}.`

/** A further request of an attempt: for one slot, on the nodes that have given another one or none. */
export const furtherSlotText = (
  recording: Recording,
  { at, client, nodes: asked }: Batch,
  wanted: number,
): string => {
  const who = sentence(clients(client))
  const isHeld = recording.holds.some((hold) => hold.client === client && hold.from <= at)
  return isHeld
    ? `${who} has ${name(wanted)}, and asks ${nodes(asked)} for it, too, in place of another slot.`
    : `Of the nodes that have answered ${clients(client)}, the first by name gave it ${name(wanted)}. It asks ` +
        `${nodes(asked)} for that slot, too, and gives up its other slots.`
}
