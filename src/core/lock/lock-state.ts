import { notifyHead } from '../process/wait-queue.ts'
import { LockLostError, outageOf, type QuorumError } from '../results/errors.ts'
import type { ReleaseResult } from '../results/results.ts'
import { type FinishedRound, type RoundListener, runRound } from '../drive.ts'
import {
  type Answer,
  answered,
  type Answers,
  confirmedToken,
  highestCounter,
  heldOutcomeOf,
  withoutMetadata,
} from '../quorum.ts'
import type { HeldOutcome } from '../outcome.ts'
import { holding, type Lease, validityOf } from '../attempt.ts'
import type { Rule } from '../rule.ts'
import { acquiring, extending, releasing } from '../operations.ts'
import { confirmRule, releaseRule } from '../rules/held.ts'

/** The state of an acquired lock, which all handles on the lock share. */
export type LockState = {
  readonly lease: Lease
  /** When the lock was acquired or adopted, by the monotonic clock. */
  readonly heldSince: number
  /** How long the lock is valid, in ms, counted from the start of `elapsed`. */
  validity: number
  elapsed: () => number
  /** A copy of the answers of the last round. */
  answers: Answers
  /** Whether the remaining time of an adopted lock is only an estimate from clocks, which no node has confirmed yet. */
  isUnconfirmed?: boolean
  hasEnded: boolean
  /** The number of handles that must be released before the lock is released. */
  holdCount: number
  token?: number | undefined
  controller?: AbortController
  releasing?: Promise<ReleaseResult>
  /** The error that says why the lock was lost, if it was. */
  lost?: LockLostError
  cancelExpiry?: () => void
  stopKeepAlive?: () => void
}

export const expiresIn = ({ hasEnded, validity, elapsed }: LockState): number =>
  hasEnded ? 0 : Math.max(0, validity - elapsed())

/** Time since the lock was acquired or adopted, in ms. */
export const heldFor = ({ lease, heldSince }: LockState): number =>
  lease.subject.client.clock.monotonic() - heldSince

export const isHeld = (state: LockState): boolean => expiresIn(state) > 0

/** Ends the lock in this process, even if nodes still hold it. */
export const end = (state: LockState): void => {
  state.hasEnded = true
  state.cancelExpiry?.()
  state.stopKeepAlive?.()
}

/** The reason in the error of a lock that was released. */
export const released = 'it was released'

/** The reason in the error of a lock that is lost. */
const lossOf = (state: LockState): string => {
  if (state.releasing) return released
  if (state.answers.some((answer) => answer?.wasForced)) return 'it was released by force'
  return isHeld(state) ? 'too many nodes lost it' : 'it has expired'
}

/**
 * Marks the lock as lost, unless it was released. @returns the error to throw.
 *
 * @param why - Why the owner gives up the lock although the work may continue. Default: the reason according to the
 *   nodes and the clock.
 */
export const markLost = (state: LockState, why: string = lossOf(state)): LockLostError => {
  const { controller, lease } = state
  const { client, keys, emit } = lease.subject
  const id = lease.id
  const error = (state.lost ??= new LockLostError(keys, id, why))
  if (state.releasing) return error
  // A listener can release the lock, so the state changes before any listener is called.
  if (!state.hasEnded) {
    end(state)
    notifyHead(client, keys)
    emit?.({ type: 'lost', id, heldFor: heldFor(state) })
  }
  controller?.abort(error)
  return error
}

/** Aborts the signal at the end of the validity. */
export const watchExpiry = (state: LockState): void => {
  state.cancelExpiry?.()
  const again = (): void => watchExpiry(state)
  // The timer is set again until no time is left, because timers can fire early and extensions move the end.
  if (isHeld(state))
    state.cancelExpiry = state.lease.subject.client.clock.setTimer(
      again,
      Math.ceil(expiresIn(state)),
    )
  else markLost(state)
}

type HeardRound = Pick<FinishedRound, 'answers' | 'listener'>

/**
 * Copies a round's answers into the state of a lock, and copies them again after each late answer, until a later round
 * replaces them. This is a class, because V8 kept closures, and the locks to which they referred, until the next full
 * garbage collection.
 */
class Learning implements RoundListener {
  readonly #state: LockState
  readonly #round: HeardRound
  readonly #afterLate: ((rank: number) => void) | undefined
  #known: LockState['answers']

  constructor(state: LockState, round: HeardRound, afterLate?: (rank: number) => void) {
    this.#state = state
    this.#round = round
    this.#afterLate = afterLate
    this.#known = state.answers = [...round.answers]
  }

  onLate(rank: number): void {
    const state = this.#state
    if (state.answers === this.#known) this.#known = state.answers = [...this.#round.answers]
    this.#afterLate?.(rank)
  }
}

/**
 * Copies the answers of a round into the state of the lock, including late answers.
 *
 * @param afterLate - Called after each late answer.
 */
export const learnFrom = (
  state: LockState,
  round: HeardRound,
  afterLate?: (rank: number) => void,
): void => {
  round.listener = new Learning(state, round, afterLate)
}

/** The token, if the answers of the last round confirm one. A confirmed token never changes. */
export const confirmToken = (state: LockState): number | undefined => {
  const { lease, answers } = state
  return (state.token ??= confirmedToken(answers, lease.subject.client.quorum))
}

/**
 * Acquires the lock on nodes that answered an extension with `absent`. These are usually nodes that another client held
 * when the lock was acquired, and has released since. Without them, the failure of one more node could cost the lock
 * its quorum.
 *
 * This is safe while the lock is valid, because its quorum keeps out all other clients. It is as if the original
 * acquire request had only just arrived. However, a node that had granted the lock may have lost it through a forced
 * release. So unless a quorum confirms the lock, this skips nodes that an earlier request may have locked. The new
 * grants count in the next extension.
 */
const acquireFreed = (state: LockState, nodes: readonly number[]): void => {
  const { answers, lease } = state
  const { client, budget } = lease.subject
  const isSure = heldOutcomeOf(answers, client.quorum) === 'confirmed'
  const order = nodes.filter((index) => {
    const answer = answers[index]
    return (
      answer?.status === 'absent' && !answer.wasForced && (isSure || lease.mayHold[index] === 1)
    )
  })
  const mayGrow = isHeld(state) && !state.isUnconfirmed
  if (!order.length || !mayGrow || !budget.affordsExtension(client.nodes.length)) return
  const ttl = Math.ceil(expiresIn(state))
  // If the node's counter has expired and the node forbids TIME, the counter restarts from this clock.
  const wall = client.clock.wall()
  const counter = Math.max(highestCounter(answers, wall), wall)
  void runRound(lease, { operation: acquiring, rule: releaseRule, order, ttl, counter })
}

/** Asks all nodes to extend the lock. @returns the round, with its outcome. */
export const extendNodes = async (
  state: LockState,
  ttl: number,
): Promise<FinishedRound<HeldOutcome>> => {
  const { lease } = state
  const { clock, ranks } = lease.subject.client
  // Once the token is confirmed, a higher counter would only make nodes reject a record with that token.
  const counter = state.token ?? highestCounter(state.answers, clock.wall())
  const options = { operation: extending, rule: confirmRule, ttl, counter }
  const round = await runRound(lease, options)
  learnFrom(state, round, (rank) => acquireFreed(state, [rank]))
  confirmToken(state)
  if (round.outcome !== 'lost') acquireFreed(state, ranks)
  return round
}

/** The error for a round in which too few nodes answered. It omits the metadata of other holders. */
export const quorumErrorOf = ({
  lease,
  answers,
}: Pick<LockState, 'lease' | 'answers'>): QuorumError =>
  outageOf(lease.subject.keys, withoutMetadata(answered(answers)))

/** Extends the lock to at least `ttl` ms from now, and never shortens it. */
export const extend = async (state: LockState, ttl: number): Promise<void> => {
  const { client, emit } = state.lease.subject
  if (!isHeld(state)) throw markLost(state)
  const { outcome, elapsed } = await extendNodes(state, ttl)
  const validity = validityOf(client, ttl)
  const next = validity - elapsed()
  // If the old validity ended during the round, another client may have held the lock in between.
  if (outcome === 'lost' || !isHeld(state)) throw markLost(state)
  if (outcome !== 'confirmed' || next <= 0) throw quorumErrorOf(state)
  if (state.isUnconfirmed || next > expiresIn(state)) {
    state.validity = validity
    state.elapsed = elapsed
  }
  state.isUnconfirmed = false
  if (state.cancelExpiry) watchExpiry(state)
  const times = { elapsed: elapsed(), expiresIn: expiresIn(state) }
  emit?.({ type: 'extended', id: state.lease.id, ...times })
}

/**
 * The rule for releasing a held lock. A node that received the request twice counts as `released`, because the first
 * request may have released the lock.
 */
const heldReleaseRule: Rule<HeldOutcome> = (round, now) => {
  const { attempt, plan, nodes, answers } = round
  if (!answers.some((answer) => answer?.isRepeated)) return releaseRule(round, now)
  const counted = answers.map((answer): Answer | undefined =>
    answer?.isRepeated && !answer.error ? { node: answer.node, status: 'released' } : answer,
  )
  return releaseRule({ attempt, plan, nodes, answers: counted }, now)
}

/** Maps the outcome of a release round to its result. */
const results: Readonly<Record<HeldOutcome, ReleaseResult>> = {
  confirmed: 'released',
  lost: 'expired',
  unavailable: 'unconfirmed',
}

const releaseLock = async (state: LockState): Promise<ReleaseResult> => {
  const { lease } = state
  const { client, keys, emit } = lease.subject
  const rule = state.hasEnded ? releaseRule : heldReleaseRule
  end(state)
  const { elapsed, outcome } = await runRound(lease, {
    operation: releasing,
    rule,
    order: holding(lease),
  })
  const result = results[outcome as HeldOutcome]
  notifyHead(client, keys)
  emit?.({
    type: 'released',
    id: lease.id,
    elapsed: elapsed(),
    heldFor: heldFor(state),
    result,
  })
  return result
}

/** Counts the release of one handle. The last one releases the lock. */
export const release = (state: LockState): Promise<ReleaseResult> => {
  if (--state.holdCount > 0) return Promise.resolve(isHeld(state) ? 'released' : 'expired')
  // Reports the loss of a lock that is released too late. A listener can release the lock during this call.
  if (!state.hasEnded && !isHeld(state)) markLost(state)
  return (state.releasing ??= releaseLock(state))
}
