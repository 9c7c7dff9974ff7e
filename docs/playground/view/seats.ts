import type { Recording } from '../world/recording.ts'
import { slotsOf } from '../world/settings.ts'
import { nodesAt } from './moment.ts'

/** A slot at a moment, as a seat. */
export type Seat = {
  /** The client that is certain to hold it. */
  readonly holder: number | undefined
  /** By node: the client that has the slot there. */
  readonly votes: readonly (number | undefined)[]
}

/** The seats of a lock with several holders, and the clients that wait for one. */
export type Seats = { readonly seats: readonly Seat[]; readonly waiting: readonly number[] }

export const seatsAt = (recording: Recording, time: number): Seats => {
  const nodes = nodesAt(recording, time)
  const seats = Array.from({ length: slotsOf(recording.settings) }, (_, slot): Seat => {
    const hold = recording.holds.find(
      (one) => one.slot === slot && one.from <= time && time < one.to,
    )
    return { holder: hold?.client, votes: nodes.map(({ slots }) => slots[slot]!.holder) }
  })
  const clients = [...Array(recording.clients).keys()]
  const waiting = clients.filter((client) => {
    const state = recording.phases.findLast((one) => one.client === client && one.at <= time)
    return state?.phase === 'waiting'
  })
  return { seats, waiting }
}
