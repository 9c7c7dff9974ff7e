/**
 * All times that matter under contention, mostly as multiples of the time that a quorum of nodes took to answer
 * (`took`). None of them decides who owns a lock, so a bad value costs only time and requests.
 */
export const usualPace = {
  /** The time after which a node counts as slow before any quorum has answered, in ms. */
  cold: 250,
  /** How late timers and answers are in a busy process, in ms, however near the nodes are. */
  floor: 5,
  /** A node counts as slow after this multiple of `took`. */
  slow: 3,
  /** How long to wait for further nodes after a quorum has answered: this multiple of `took` ... */
  patience: 1,
  /** ... or this multiple of the time between the first answer and the quorum-th, if that is longer. */
  spread: 2,
  /**
   * The leader's pause after a node has rejected it twice, in round trips to the node. Each further pause is more than
   * twice as long.
   */
  again: 0.2,
  /**
   * A round trip counts as at least this multiple of `took`, so that a leader does not ask a near node continuously.
   */
  least: 0.5,
  /**
   * A node is far if its round trip exceeds this multiple of `took`. A leader skips far nodes while it asks nearer ones
   * again.
   */
  far: 1.5,
  /** How long a leader keeps asking: this multiple of `took`, but at most `leadShare` of the validity. */
  lead: 6,
  leadShare: 0.25,
  /**
   * The time to leave for the last try of a call, as a multiple of one round's time. A probe of one node may have to be
   * followed by a round over all nodes.
   */
  lastTry: 2,
  /** How long the answer of one node is sufficient after a quorum has rejected a call, in ms. */
  proof: 1000,
  /** How long a call can reuse a rejection that another call received, in ms. */
  fresh: 50,
}

export type Pace = { readonly [name in keyof typeof usualPace]: number }

/** The time after which a node is slow, in ms. `took` is undefined until a quorum has answered. */
export const slowAfter = ({ cold, slow, floor }: Pace, took: number | undefined): number =>
  took === undefined ? cold : slow * (took + floor)

/**
 * The time after which an answer is late, in ms; Infinity until a quorum has answered. `fastest` is the time of the
 * first answer.
 */
export const patienceOf = (pace: Pace, took: number | undefined, fastest: number = 0): number =>
  took === undefined
    ? Infinity
    : took + Math.max(pace.patience * took, pace.spread * (took - fastest), pace.floor)

/**
 * The time from the last request to a node until a leader asks the node again, in ms. The first time there is no extra
 * pause, because the other client can see who leads as soon as the leader can. A second rejection shows that the other
 * client needs more time.
 */
export const againAfter = (
  { again, least }: Pace,
  roundTrip: number,
  took: number,
  asks: number,
): number => Math.max(roundTrip, least * took) * (1 + again * (2 ** (asks - 1) - 1))

/**
 * When a leader stops asking, in ms since the round began. A lock that is won later in its validity would soon expire.
 *
 * @param lastAsked - When the last of the nodes was first asked.
 * @param took - The time that a quorum took to answer, in ms.
 */
export const leadUntil = (
  { lead, leadShare, floor }: Pace,
  lastAsked: number,
  took: number,
  validity: number,
): number => Math.min(lastAsked + lead * (took + floor), leadShare * validity)
