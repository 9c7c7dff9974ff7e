import { majority } from '../story/votes.ts'
import type { Recording } from '../world/recording.ts'
import { slotsOf } from '../world/settings.ts'
import { nodesAt } from './moment.ts'

/** A slot at a moment, as a seat. */
export type Seat = {
  /** `comes` and `leaves`: a majority of the nodes has a client there that has not learned it, or is releasing. */
  readonly state: 'free' | 'comes' | 'taken' | 'leaves'
  /** The client of that state; undefined if the seat is free. */
  readonly client: number | undefined
  /** By node: the client that has the slot there. */
  readonly votes: readonly (number | undefined)[]
}

/** The seats of a lock with several holders, and the clients that wait for one. */
export type Seats = { readonly seats: readonly Seat[]; readonly waiting: readonly number[] }

const stateAt = (
  { holds }: Recording,
  slot: number,
  votes: readonly (number | undefined)[],
  time: number,
): Pick<Seat, 'state' | 'client'> => {
  const past = holds.filter((one) => one.slot === slot && one.from <= time)
  const hold = past.find(({ to }) => time < to)
  if (hold) return { state: 'taken', client: hold.client }
  const client = votes.find(
    (one) => one !== undefined && votes.filter((other) => other === one).length >= majority,
  )
  if (client === undefined) return { state: 'free', client }
  return { state: past.some((one) => one.client === client) ? 'leaves' : 'comes', client }
}

export const seatsAt = (recording: Recording, time: number): Seats => {
  const nodes = nodesAt(recording, time)
  const seats = Array.from({ length: slotsOf(recording.settings) }, (_, slot): Seat => {
    const votes = nodes.map(({ slots }) => slots[slot]!.holder)
    return { ...stateAt(recording, slot, votes, time), votes }
  })
  const clients = [...Array(recording.clients).keys()]
  const waiting = clients.filter((client) => {
    const state = recording.phases.findLast((one) => one.client === client && one.at <= time)
    return state?.phase === 'waiting'
  })
  return { seats, waiting }
}
