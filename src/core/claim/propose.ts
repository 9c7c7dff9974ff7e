import { answered, type Answers, freeIn, highestCounter, quorumHolder, tallyOf } from '../quorum.ts'
import { failsOpen, type NodeReport } from '../results/node-report.ts'
import { type Rejection, unknownRetryAfter } from '../results/results.ts'
import type { Client } from '../process/client.ts'
import type { Lease } from '../attempt.ts'
import { healLater } from './repair.ts'
import { maxSettlePause, settlePause } from '../retry/times.ts'
import type { Pauses } from '../retry/waiting.ts'
import {
  claimedFingerprint,
  claimFingerprint,
  decidedRecord,
  type Draft,
  hasPromised,
  lacksCompleted,
  latestRecord,
  nodesWithout,
  promisedToken,
  recordOf,
  type StoredRecord,
} from './reading.ts'
import {
  complete,
  prepare,
  type RecordKey,
  recordAttempt,
  releaseAll,
  releaseRest,
} from './rounds.ts'

/** The result of a call that could not claim the key. */
export type Unclaimed = {
  /**
   * `locked`: another claim holds the key, so the request is being processed. `unavailable`: too few nodes answered.
   */
  readonly state: 'locked' | 'unavailable'
  /** Time until the other claim can expire, or until it makes sense to try again, in ms. */
  readonly retryAfter: number
  /** The fingerprint of the other claim. */
  readonly fingerprint?: string | undefined
  /** How each node answered. */
  readonly nodes?: readonly NodeReport[]
  /** Whether a call with `failOpen` passes: too many nodes failed for a quorum, and no node names a claim. */
  readonly mayPass?: boolean
}

/**
 * Whether the call failed because too few nodes answered. If `nodes` is missing, a record was seen, which other clients
 * are writing to a quorum.
 */
export const isClaimOutage = ({ state, nodes }: Unclaimed): boolean =>
  state === 'unavailable' && nodes !== undefined

/** The record that a quorum stores. */
export type Recorded = { readonly state: 'recorded'; readonly record: StoredRecord }

/** The result of writing a record to a quorum. */
export type Completion = Recorded | Unclaimed

export type SettleOptions = {
  /** The claim to complete, which is not released. Without one, temporary claims are made as needed. */
  readonly own?: Lease
  /** The token that the claim has confirmed. Without one, the nodes are asked for a promise first. */
  readonly token?: number | undefined
  /** The record to write, unless the nodes return another one. */
  readonly draft: Draft
  /** The remaining time for retries. If none is left, only the claim's token is tried. */
  readonly waiting: Pauses
}

/** Converts the rejection of a claim to its result. */
export const unclaimedBy = (
  { reason, retryAfter, nodes }: Omit<Rejection, 'ok'>,
  client: Client,
): Unclaimed => ({
  state: reason,
  retryAfter,
  nodes,
  fingerprint: claimedFingerprint(nodes, client.quorum),
  // A record does not count as a claim, because its run has ended.
  mayPass: failsOpen(
    'claim',
    nodes.filter((node) => !recordOf(node)),
    client.nodes.length,
  ),
})

/** Why the key could not be claimed: other claims, or an outage. */
const claimRejectionOf = (answers: Answers, client: Client): Unclaimed => {
  const { quorum } = client
  const isClaimed = answers.some((answer) => answer && claimFingerprint(answer) !== undefined)
  const { granted, rejected } = tallyOf(answers)
  const isHeld = isClaimed && granted + rejected >= quorum
  const reason = isHeld ? 'locked' : 'unavailable'
  const retryAfter = isHeld ? freeIn(answers, quorum) : unknownRetryAfter
  return unclaimedBy({ reason, retryAfter, nodes: answered(answers) }, client)
}

/** The state of a call that writes a record to a quorum. Each phase of a try updates it. */
type Settling = {
  readonly request: RecordKey
  /** Whether the lease belongs to the caller's claim, which is not released. */
  readonly isOwn: boolean
  lease: Lease
  /** The record to write. */
  draft: Draft
  /** The token of the next write; undefined until a quorum has promised one. */
  token: number | undefined
  /** The highest token under which this call has written a record. */
  lastToken: number
  /** The minimum of the next token. */
  counter: number
  /** The result of the call if it gives up. */
  rejection: Unclaimed
}

/** The result for a record that a quorum stores. The nodes that lack the record receive it in the background. */
const recorded = (
  request: RecordKey,
  record: StoredRecord,
  lacking: readonly number[],
): Recorded => {
  healLater(request, record, lacking)
  return { state: 'recorded', record }
}

/**
 * The first phase of a try: asks the nodes to promise a token, and adopts the latest record that they return as the
 * draft.
 *
 * @returns the result of the call; undefined if the call continues.
 */
const askForPromises = async (state: Settling): Promise<Completion | undefined> => {
  const { request, isOwn, lease, counter } = state
  const { quorum, clock } = lease.subject.client
  const answers = await prepare(lease, counter)
  state.counter = Math.max(counter, highestCounter(answers, clock.wall()))
  const record = decidedRecord(answers, quorum)
  if (record) {
    releaseAll(lease)
    return recorded(request, record, nodesWithout(answers, record))
  }
  if (answers.filter(hasPromised).length < quorum) {
    state.rejection = claimRejectionOf(answers, lease.subject.client)
    // Other clients may hold the other nodes, and be waiting for these ones.
    if (!isOwn) {
      releaseAll(lease)
      state.lease = recordAttempt(request)
    }
    // A claim on fewer nodes than a quorum will soon be released, so the call continues.
    return quorumHolder(answers, quorum) ? state.rejection : undefined
  }
  state.draft = latestRecord(answers) ?? state.draft
  const promised = promisedToken(answers, quorum)
  // A token is used only once, because two records with the same token could not be ordered.
  if (promised !== undefined && promised > state.lastToken) state.token = promised
  return undefined
}

/**
 * The second phase of a try: writes the draft with the token.
 *
 * @returns the record that a quorum stores afterwards; undefined if there is none.
 */
const writeDraft = async (state: Settling, token: number): Promise<Recorded | undefined> => {
  const { request, lease, draft, counter } = state
  const { quorum, clock } = lease.subject.client
  const written = { ...draft, id: lease.id, token }
  state.lastToken = token
  let isDecided = false
  const answers = await complete(lease, token, written, {
    onLate: (index, answer) => {
      if (!isDecided || !lacksCompleted(answer, written)) return
      // A claim that remains on the node would block the record.
      releaseRest(lease, answers)
      healLater(request, written, [index])
    },
  })
  isDecided = answers.filter((answer) => answer?.status === 'accepted').length >= quorum
  const record = isDecided ? written : decidedRecord(answers, quorum)
  if (record) {
    releaseRest(lease, answers)
    const lacking = [...answers.keys()].filter((index) => lacksCompleted(answers[index], record))
    return recorded(request, record, lacking)
  }
  state.counter = Math.max(counter, token + 1, highestCounter(answers, clock.wall()))
  // If too few nodes have answered, a retry with the same token may succeed.
  if (tallyOf(answers).rejected > 0) state.token = undefined
  return undefined
}

/**
 * Writes one record to a quorum: the one with the highest token that a quorum of nodes returns, or else the draft. So
 * no client can replace a record that a quorum stores. A record on fewer nodes also takes effect once a client has seen
 * it.
 *
 * Each record is written with a unique token that a quorum has promised. A node that has promised a higher token
 * rejects the record. The first try always runs; further tries run as the budget allows.
 */
export const settle = async (request: RecordKey, options: SettleOptions): Promise<Completion> => {
  const { own, token, draft, waiting } = options
  const lease = own ?? recordAttempt(request)
  const { client, budget } = lease.subject
  const { clock, random } = client
  const state: Settling = {
    request,
    isOwn: own !== undefined,
    lease,
    draft,
    token,
    lastToken: 0,
    counter: clock.wall(),
    rejection: { state: 'unavailable', retryAfter: unknownRetryAfter },
  }
  if (token === undefined && waiting.left() <= 0) return state.rejection
  let pause = 0
  do {
    if (pause > 0) await waiting.pause(random() * pause)
    pause = Math.min(2 * pause || settlePause, maxSettlePause)
    if (state.token === undefined) {
      const end = await askForPromises(state)
      if (end) return end
    }
    // Without a promise, the next try asks for one again.
    if (state.token !== undefined) {
      const end = await writeDraft(state, state.token)
      if (end) return end
    }
  } while (waiting.left() > 0 && budget.affords(client.nodes.length))
  if (!own) releaseAll(state.lease)
  return state.rejection
}
