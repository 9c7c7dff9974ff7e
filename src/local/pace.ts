/**
 * Every time of the contention, as a multiple of the time that a quorum of nodes took to answer (`took`)
 * wherever there is one. None of them decides who owns a lock, so a bad value costs only time and requests.
 */
export type Pace = {
  /** Ms after which a node passes its turn, before any quorum has answered. */
  readonly cold: number
  /** Ms by which timers and answers are late in a busy process, however near the nodes are. */
  readonly floor: number
  /** A node is slow if it takes this multiple of `took`. */
  readonly slow: number
  /** How long the nodes beyond a quorum get: this multiple of `took` ... */
  readonly patience: number
  /** ... or this multiple of the time between the first answer and the quorum-th. */
  readonly spread: number
  /** From a refusal to the leader's next request, in round trips of the node. It doubles each time. */
  readonly again: number
  /** How long a leader asks again, in round trips of the slowest node, and as a share of the validity. */
  readonly lead: number
  readonly leadShare: number
  /** The time that the last try of a call needs: the probe of one node may be refuted. */
  readonly lastTry: number
  /** The age in ms up to which the word of a quorum lets one node speak for all. */
  readonly proof: number
  /** The age in ms up to which a refusal that another caller received spares a request. */
  readonly fresh: number
}

export const usualPace: Pace = {
  cold: 250,
  floor: 5,
  slow: 3,
  patience: 1,
  spread: 2,
  again: 0.05,
  lead: 6,
  leadShare: 0.25,
  lastTry: 2,
  proof: 1000,
  fresh: 50,
}

/** The ms after which a node is slow. `took` is undefined before a quorum has answered. */
export const slowAfter = ({ cold, slow, floor }: Pace, took: number | undefined): number =>
  took === undefined ? cold : slow * (took + floor)

/** The ms from the last request until nobody waits for more answers. `fastest`: the first answer. */
export const patienceOf = (pace: Pace, took: number, fastest: number): number =>
  took + Math.max(pace.patience * took, pace.spread * (took - fastest), pace.floor)

/** The ms from the last request to a node until a leader asks it again: its rival needs time to yield. */
export const againAfter = ({ again }: Pace, roundTrip: number, asks: number): number =>
  roundTrip * (1 + again * 2 ** asks)

/**
 * Until when a leader asks again. A lock that is won later in its validity is nearly over.
 *
 * @param lastAsked - When its last first request was sent.
 * @param slowest - The ms that the slowest node took that is waited for.
 */
export const leadUntil = (
  { lead, leadShare, floor }: Pace,
  lastAsked: number,
  slowest: number,
  validity: number,
): number => Math.min(lastAsked + lead * (slowest + floor), leadShare * validity)
