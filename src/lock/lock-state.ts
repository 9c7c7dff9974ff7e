import { notifyHead } from '../local/wait-queue.ts'
import type { Operation } from '../protocol/script.ts'
import { confirmedToken, highestCounter } from '../quorum/fencing-token.ts'
import type { Lease } from '../quorum/lease.ts'
import { startRound } from '../quorum/round.ts'
import { takeVote } from '../quorum/take-vote.ts'
import {
  type Answer,
  type Answers,
  answered,
  noAnswers,
  readVote,
  type Vote,
  type VoteReading,
  withoutMetadata,
} from '../quorum/tally.ts'
import { validityOf } from '../quorum/validity.ts'
import { LockLostError, QuorumError } from '../reports/errors.ts'
import type { ReleaseResult } from '../reports/results.ts'
import { stopwatch } from '../util/clock.ts'
import { acquireSpare, freeNodes } from './spare-nodes.ts'

/** The state of a lock that was acquired, which all handles on it share. */
export type LockState = {
  readonly lease: Lease
  /** Reads the ms since the lock was acquired or adopted. */
  readonly heldFor: () => number
  /** Reads how many ms of validity are left. */
  validity: () => number
  /** The answers of the last round. */
  answers: Answers
  /** Whether only clocks, and no node yet, have told how long an adopted lock lives. */
  isUnconfirmed: boolean
  hasEnded: boolean
  /** The number of releases until the lock is really released. */
  holdCount: number
  token?: number | undefined
  controller?: AbortController
  releasing?: Promise<ReleaseResult>
  /** Why the lock was lost, once it was. */
  lost?: LockLostError
  cancelExpiry?: () => void
  stopKeepAlive?: () => void
}

export const expiresIn = ({ hasEnded, validity }: LockState): number =>
  hasEnded ? 0 : Math.max(0, validity())

export const isHeld = (state: LockState): boolean => expiresIn(state) > 0

/** Ends the lock here, whatever the nodes hold. */
export const end = (state: LockState): void => {
  state.hasEnded = true
  state.cancelExpiry?.()
  state.stopKeepAlive?.()
}

/** Why a lock that was released is not held. */
export const released = 'it has been released'

/** Why the lock is not held, or is about to be marked as lost. */
const lossOf = (state: LockState): string => {
  if (state.releasing) return released
  return isHeld(state) ? 'too many nodes no longer hold it' : 'its validity has ended'
}

/** Marks the lock as lost, unless it was released. @returns the error to throw. */
export const markLost = (state: LockState): LockLostError => {
  const { releasing, controller, lease } = state
  const error = (state.lost ??= new LockLostError(lease.keys, lossOf(state)))
  // Listeners may release the lock, so the state comes first, and they come last.
  if (!state.hasEnded) {
    end(state)
    notifyHead(lease.client.queues, lease.keys)
    lease.client.emit?.({ type: 'lost', keys: lease.keys, heldFor: state.heldFor() })
  }
  if (!releasing) controller?.abort(error)
  return error
}

/** Aborts the signal at the end of the validity. */
export const watchExpiry = (state: LockState): void => {
  state.cancelExpiry?.()
  const again = (): void => watchExpiry(state)
  // Armed again until nothing is left: timers fire early, and an extension moves the end.
  if (isHeld(state))
    state.cancelExpiry = state.lease.client.clock.setTimer(again, Math.ceil(expiresIn(state)))
  else markLost(state)
}

/** The token that the answers of the last round confirm, if they do. Once confirmed it stays. */
export const confirmToken = (state: LockState): number | undefined => {
  const { lease, answers } = state
  return (state.token ??= confirmedToken(answers, lease.client.quorum))
}

/** One round over all nodes. @returns its vote, and the ms it took. */
export const askNodes = async (
  state: LockState,
  operation: Operation,
  ttl: number = state.lease.ttl,
): Promise<[Vote, elapsed: number]> => {
  const { lease } = state
  const { clock, nodes } = lease.client
  const elapsed = stopwatch(clock)
  const answers = noAnswers(nodes)
  const fence = highestCounter(state.answers, clock.wall())
  const spares = new Set<number>()
  const onAnswer = (): void => {
    if (operation !== 'e' || state.isUnconfirmed || state.releasing) return
    for (const index of freeNodes(answers, lease.client.quorum)) {
      if (!spares.has(index)) acquireSpare(lease, index, expiresIn(state), fence)
      spares.add(index)
    }
  }
  const vote = await takeVote(lease, operation, { elapsed, ttl, fence, answers, onAnswer })
  state.answers = answers
  confirmToken(state)
  return [vote, elapsed()]
}

/** The error for a round that too few nodes answered. What others have written there stays out of it. */
export const quorumErrorOf = ({ lease, answers }: LockState): QuorumError =>
  new QuorumError(lease.keys, { retryAfter: 1000, nodes: withoutMetadata(answered(answers)) })

/** Makes the lock live `ttl` ms from now, and no less than it would. */
export const extend = async (state: LockState, ttl: number): Promise<void> => {
  const { client, keys } = state.lease
  if (!isHeld(state)) throw markLost(state)
  const next = validityOf(client, ttl, stopwatch(client.clock))
  const [vote, elapsed] = await askNodes(state, 'e', ttl)
  // If the old validity has ended meanwhile, another may have held the lock since.
  if (vote === 'no' || !isHeld(state)) throw markLost(state)
  if (vote !== 'yes' || next() <= 0) throw quorumErrorOf(state)
  if (state.isUnconfirmed || next() > state.validity()) state.validity = next
  state.isUnconfirmed = false
  if (state.controller) watchExpiry(state)
  client.emit?.({ type: 'extended', keys, elapsed, expiresIn: expiresIn(state) })
}

const releaseLock = async (state: LockState): Promise<ReleaseResult> => {
  const { lease } = state
  const { client, keys } = lease
  const wasHeld = isHeld(state)
  end(state)
  const elapsed = stopwatch(client.clock)
  // A node that got the release twice may have released the lock at the first.
  const asReleased = (answer: Answer | undefined): Answer | undefined =>
    wasHeld && answer?.isRepeated && !answer.error ? { ...answer, status: 'granted' } : answer
  const read = (answers: Answers): VoteReading => readVote(answers.map(asReleased), client.quorum)
  const { vote } = (await startRound(lease, 'r', { elapsed, read })).reading
  const result = vote === 'yes' ? 'released' : vote === 'no' ? 'expired' : 'unconfirmed'
  notifyHead(client.queues, keys)
  client.emit?.({ type: 'released', keys, elapsed: elapsed(), heldFor: state.heldFor(), result })
  return result
}

/** Counts one release, and releases the lock with the last of them. */
export const release = (state: LockState): Promise<ReleaseResult> => {
  if (--state.holdCount > 0) return Promise.resolve(isHeld(state) ? 'released' : 'expired')
  // Listeners must learn that the lock was released too late. One of them may release it right now.
  if (!state.hasEnded && !isHeld(state)) markLost(state)
  return (state.releasing ??= releaseLock(state))
}
