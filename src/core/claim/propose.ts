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

/** The key could not be claimed. */
export type Unclaimed = {
  /** `locked`: another claim holds it, so the request is being processed. `unavailable`: too few nodes answered. */
  readonly state: 'locked' | 'unavailable'
  /** Ms until the claim can expire, or until another try makes sense. */
  readonly retryAfter: number
  /** The fingerprint of the claim. */
  readonly fingerprint?: string | undefined
  /** How each node answered. */
  readonly nodes?: readonly NodeReport[]
  /** Whether a call with `failOpen` passes: a majority of the nodes has failed, and no node names a claim. */
  readonly mayPass?: boolean
}

/** Whether too few nodes answered. If `nodes` is missing, a record was seen, and other clients are settling it. */
export const isClaimOutage = ({ state, nodes }: Unclaimed): boolean =>
  state === 'unavailable' && nodes !== undefined

/** The record that a quorum has. */
export type Recorded = { readonly state: 'recorded'; readonly record: StoredRecord }

/** The outcome of an attempt to get a record to a quorum. */
export type Completion = Recorded | Unclaimed

export type SettleOptions = {
  /** The claim to complete, which is kept. Without one, temporary claims are made as needed. */
  readonly own?: Lease
  /** The token that the claim has confirmed. Without it, the nodes are asked for a promise. */
  readonly token?: number | undefined
  /** The record to write, unless another one is found. */
  readonly draft: Draft
  /** The wait for other clients. With no time left, only the token of the claim is tried. */
  readonly waiting: Pauses
}

/** Converts the rejection of a claim. */
export const unclaimedBy = (
  { reason, retryAfter, nodes }: Omit<Rejection, 'ok'>,
  client: Client,
): Unclaimed => ({
  state: reason,
  retryAfter,
  nodes,
  fingerprint: claimedFingerprint(nodes, client.quorum),
  // A record is not a claim: its run has ended.
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

/** The state of a call that gets a record to a quorum. Each phase of a try changes it. */
type Settling = {
  readonly request: RecordKey
  /** Whether the lease belongs to a claim, which is kept. */
  readonly isOwn: boolean
  lease: Lease
  /** The record to write. */
  draft: Draft
  /** The token of the next write; undefined while no quorum has promised one. */
  token: number | undefined
  /** The highest token under which this call has written a record. */
  lastToken: number
  /** The minimum of the next token. */
  counter: number
  /** The result of the call if it gives up. */
  rejection: Unclaimed
}

/** A record that a quorum has. The nodes that lack it receive it later. */
const recorded = (
  request: RecordKey,
  record: StoredRecord,
  lacking: readonly number[],
): Recorded => {
  healLater(request, record, lacking)
  return { state: 'recorded', record }
}

/**
 * The first phase of a try: asks the nodes to promise a token, and adopts the latest record that they return.
 *
 * @returns the result of the call; undefined if it continues.
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
    // Other clients may hold the other nodes, and wait for these.
    if (!isOwn) {
      releaseAll(lease)
      state.lease = recordAttempt(request)
    }
    // Claims of others on less than a quorum are about to be released.
    return quorumHolder(answers, quorum) ? state.rejection : undefined
  }
  state.draft = latestRecord(answers) ?? state.draft
  const promised = promisedToken(answers, quorum)
  // Two records under the same token could not be distinguished.
  if (promised !== undefined && promised > state.lastToken) state.token = promised
  return undefined
}

/**
 * The second phase of a try: writes the draft under the token.
 *
 * @returns the record that a quorum has afterwards; undefined if there is none.
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
      // A remaining claim would block the record.
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
 * Gets one record to a quorum: the one with the highest token among a quorum of nodes, or else the draft. So no client
 * can replace a record that a quorum has. A record on only some nodes counts as soon as a client has seen it.
 *
 * A record is written under a unique token that a quorum has promised. A node that has promised a higher token rejects
 * the record. The first try always runs, the others as the budget allows.
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
