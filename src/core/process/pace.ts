/**
 * All times used under contention, as multiples of the time that a quorum of nodes took to answer (`took`) if possible.
 * None of them decides who owns a lock, so a bad value costs only time and requests.
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
  /** A round trip counts as at least this multiple of `took`, so that a near node is not asked continuously. */
  least: 0.5,
  /** A node is far if its round trip is this multiple of `took`. A leader skips it while it asks nearer ones again. */
  far: 1.5,
  /** How long a leader asks again: this multiple of `took`, but at most a share of the validity. */
  lead: 6,
  leadShare: 0.25,
  /** The time that the last try of a call needs, since other nodes may contradict a probe of one node. */
  lastTry: 2,
  /** Ms for which a rejection by a quorum makes the answer of one node sufficient. */
  proof: 1000,
  /** Ms for which a rejection that another caller received saves a request. */
  fresh: 50,
}

export type Pace = { readonly [name in keyof typeof usualPace]: number }

/** The ms after which a node is slow. `took` is undefined before a quorum has answered. */
export const slowAfter = ({ cold, slow, floor }: Pace, took: number | undefined): number =>
  took === undefined ? cold : slow * (took + floor)

/** The ms after which an answer is late, once a quorum has answered. `fastest` is the ms until the first answer. */
export const patienceOf = (pace: Pace, took: number | undefined, fastest: number = 0): number =>
  took === undefined
    ? Infinity
    : took + Math.max(pace.patience * took, pace.spread * (took - fastest), pace.floor)

/**
 * The ms from the last request to a node until a leader asks it again. The first time there is no extra pause: another
 * client learns who leads as soon as the leader does. A second rejection shows that the other client needs more time.
 */
export const againAfter = (
  { again, least }: Pace,
  roundTrip: number,
  took: number,
  asks: number,
): number => Math.max(roundTrip, least * took) * (1 + again * (2 ** (asks - 1) - 1))

/**
 * The time until which a leader asks again. A lock that is won later in its validity would soon expire.
 *
 * @param lastAsked - When the last node was asked for the first time.
 * @param took - The ms that a quorum took to answer.
 */
export const leadUntil = (
  { lead, leadShare, floor }: Pace,
  lastAsked: number,
  took: number,
  validity: number,
): number => Math.min(lastAsked + lead * (took + floor), leadShare * validity)
