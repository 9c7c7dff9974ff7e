/**
 * Every time of the contention, as a multiple of the time that a quorum of nodes took to answer (`took`)
 * wherever there is one. None of them decides who owns a lock, so a bad value costs only time and requests.
 */
export const usualPace = {
  /** Ms after which a node passes its turn, before any quorum has answered. */
  cold: 250,
  /** Ms by which timers and answers are late in a busy process, however near the nodes are. */
  floor: 5,
  /** A node is slow if it takes this multiple of `took`. */
  slow: 3,
  /** How long the nodes beyond a quorum get: this multiple of `took` ... */
  patience: 1,
  /** ... or this multiple of the time between the first answer and the quorum-th. */
  spread: 2,
  /** The leader's pause after a node has rejected it twice, in round trips of the node. It more than doubles each time. */
  again: 0.2,
  /** A round trip counts as this multiple of `took` at least, so that a near node is not asked all the time. */
  least: 0.5,
  /** A node is far if its round trip is this multiple of `took`. A leader spares it while it asks nearer ones again. */
  far: 1.5,
  /** How long a leader asks again: this multiple of `took`, and a share of the validity. */
  lead: 6,
  leadShare: 0.25,
  /** The time that the last try of a call needs: the probe of one node may be refuted. */
  lastTry: 2,
  /** The age in ms up to which the word of a quorum lets one node speak for all. */
  proof: 1000,
  /** The age in ms up to which a refusal that another caller received spares a request. */
  fresh: 50,
}

export type Pace = { readonly [name in keyof typeof usualPace]: number }

/** The ms after which a node is slow. `took` is undefined before a quorum has answered. */
export const slowAfter = ({ cold, slow, floor }: Pace, took: number | undefined): number =>
  took === undefined ? cold : slow * (took + floor)

/** The ms after which an answer is late, once a quorum has answered. `fastest`: when the first answer came. */
export const patienceOf = (pace: Pace, took: number | undefined, fastest: number = 0): number =>
  took === undefined
    ? Infinity
    : took + Math.max(pace.patience * took, pace.spread * (took - fastest), pace.floor)

/**
 * The ms from the last request to a node until a leader asks it again. At first it does so at once: a rival knows who
 * leads as soon as the leader does. A second rejection shows that the rival needs more time.
 */
export const againAfter = (
  { again, least }: Pace,
  roundTrip: number,
  took: number,
  asks: number,
): number => Math.max(roundTrip, least * took) * (1 + again * (2 ** (asks - 1) - 1))

/**
 * Until when a leader asks again. A lock that is won later in its validity is nearly over.
 *
 * @param lastAsked - When its last first request was sent.
 * @param took - The ms that a quorum took to answer.
 */
export const leadUntil = (
  { lead, leadShare, floor }: Pace,
  lastAsked: number,
  took: number,
  validity: number,
): number => Math.min(lastAsked + lead * (took + floor), leadShare * validity)
