import { isPush, type Hold, type Recording } from '../world/recording.ts'

/** The counters of a run, up to a moment. */
export type Counts = {
  /** Clients that got the lock. */
  readonly winners: number
  /** The highest number of clients that were certain to hold the lock at one time. */
  readonly atOnce: number
  /** Clients that were told that another one holds the lock. */
  readonly refused: number
  /** Clients that were told that too few nodes answer. */
  readonly unavailable: number
  /** Clients that got an answer to their request, and different answers among these. */
  readonly answered: number
  readonly answers: number
  /** Requests to nodes. */
  readonly requests: number
  /** Messages of nodes that woke a client. */
  readonly wakes: number
  /** Writes that the store accepted and refused. */
  readonly writes: number
  readonly staleWrites: number
}

const mostAtOnce = (holds: readonly Hold[]): number =>
  Math.max(
    0,
    ...holds.map(({ from }) => holds.filter((one) => one.from <= from && one.to > from).length),
  )

export const countsAt = (recording: Recording, time: number): Counts => {
  const { messages, facts } = recording
  const holds = recording.holds.filter(({ from }) => from <= time)
  const rejections = facts.flatMap((fact) =>
    fact.at <= time && fact.type === 'event' && fact.event.type === 'rejected'
      ? [fact.event.reason]
      : [],
  )
  const answered = facts.flatMap((fact) =>
    fact.at <= time && fact.type === 'answered' ? [fact.by] : [],
  )
  const executed = messages.filter(({ executedAt = Infinity }) => executedAt <= time)
  return {
    winners: holds.length,
    atOnce: mostAtOnce(holds),
    refused: rejections.filter((reason) => reason === 'locked').length,
    unavailable: rejections.filter((reason) => reason === 'unavailable').length,
    answered: answered.length,
    answers: new Set(answered).size,
    requests: messages.filter(
      (message) => message.to !== 'store' && !isPush(message) && message.sentAt <= time,
    ).length,
    wakes: messages.filter(({ operation, sentAt }) => operation === 'wake' && sentAt <= time)
      .length,
    writes: executed.filter(({ verdict }) => verdict === 'accepted').length,
    staleWrites: executed.filter(({ verdict }) => verdict === 'stale').length,
  }
}
