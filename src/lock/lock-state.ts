import { wakeFirst } from '../local/wait-queue.ts'
import type { Operation } from '../protocol/script.ts'
import { agreed, highest } from '../quorum/fencing-token.ts'
import { type Claim, validityOf } from '../quorum/lease.ts'
import { checkDistinct } from '../quorum/node-identity.ts'
import { startRound } from '../quorum/round.ts'
import { type Answers, known, type Vote } from '../quorum/vote.ts'
import { LockLostError, QuorumError } from '../reports/errors.ts'
import { stopwatch } from '../util/clock.ts'
import type { ReleaseResult } from './lock.ts'

/** A lock that was won, as all handles on it share it. */
export type Held = {
  readonly claim: Claim
  /** Reads how many ms are left. */
  validity: () => number
  /** What the nodes said last. */
  answers: Answers
  /** Of an adopted lock, clocks have told how long it lives, and no node yet. */
  isGuess: boolean
  isOver: boolean
  /** How often it is to be released before it is given back. */
  entries: number
  token: number | undefined
  controller: AbortController | undefined
  releasing: Promise<ReleaseResult> | undefined
  stopTimer: (() => void) | undefined
  stopKeeping: (() => void) | undefined
}

export const expiresIn = ({ isOver, validity }: Held): number =>
  isOver ? 0 : Math.max(0, validity())

export const isHeld = (held: Held): boolean => expiresIn(held) > 0

const end = (held: Held): void => {
  held.isOver = true
  held.stopTimer?.()
  held.stopKeeping?.()
}

/** Marks the lock as lost, unless it was released; returns the error to throw. */
export const lose = (held: Held): LockLostError => {
  const { releasing, controller, claim } = held
  const error = new LockLostError(claim.keys)
  if (!releasing) controller?.abort(error)
  // Whoever listens may have released it just now.
  if (!held.isOver) {
    end(held)
    wakeFirst(claim.settings.lines, claim.keys)
    claim.settings.emit?.({ type: 'lost', keys: claim.keys })
  }
  return error
}

/** Tells of the end of the validity when it has come. */
export const watch = (held: Held): void => {
  held.stopTimer?.()
  const again = (): void => watch(held)
  // Re-armed until nothing is left: timers fire early, and an extend moves the end.
  if (isHeld(held))
    held.stopTimer = held.claim.settings.clock.setTimer(again, Math.ceil(expiresIn(held)))
  else lose(held)
}

/** Reads the token out of the answers, if they confirm one. Two of one database would be none. */
export const confirm = (held: Held): number | undefined => {
  const { claim, answers } = held
  checkDistinct(claim.settings)
  return (held.token ??= agreed(answers, claim.settings.quorum))
}

/** Has all nodes do something with the lock. */
export const ask = async (
  held: Held,
  operation: Operation,
  ttl: number = held.claim.ttl,
): Promise<[Vote, elapsed: number]> => {
  const { claim } = held
  const { settings } = claim
  const elapsed = stopwatch(settings.clock)
  const answers: Answers = []
  const fence = highest(held.answers, settings.clock.wall())
  const vote = await startRound(claim, operation, { elapsed, ttl, fence, answers })
  held.answers = answers
  confirm(held)
  return [vote, elapsed()]
}

export const unknown = ({ claim, answers }: Held): QuorumError =>
  new QuorumError(claim.keys, { retryAfter: 1000, nodes: known(answers) })

/** Makes it live so many ms from now, and no less than it would. */
export const extend = async (held: Held, ttl: number): Promise<void> => {
  const { settings, keys } = held.claim
  if (!isHeld(held)) throw lose(held)
  const next = validityOf(settings, ttl, stopwatch(settings.clock))
  const [vote, elapsed] = await ask(held, 'e', ttl)
  // The old validity must not have ended meanwhile: between the two, another may have held it.
  if (vote === 'no' || !isHeld(held)) throw lose(held)
  if (vote !== 'yes' || next() <= 0) throw unknown(held)
  if (held.isGuess || next() > held.validity()) held.validity = next
  held.isGuess = false
  if (held.controller) watch(held)
  settings.emit?.({ type: 'extended', keys, elapsed, expiresIn: expiresIn(held) })
}

const giveBack = async (held: Held): Promise<ReleaseResult> => {
  const { claim } = held
  const { keys, settings } = claim
  // Whoever releases it late is to hear of it, if anybody listens.
  if ((settings.emit || held.controller) && !held.isOver && !isHeld(held)) lose(held)
  end(held)
  const elapsed = stopwatch(settings.clock)
  const vote = await startRound(claim, 'r', { elapsed })
  const result = vote === 'yes' ? 'released' : vote === 'no' ? 'expired' : 'unconfirmed'
  wakeFirst(settings.lines, keys)
  settings.emit?.({ type: 'released', keys, elapsed: elapsed(), result })
  return result
}

/** Takes one entry back, and gives the lock back with the last of them. */
export const leave = (held: Held): Promise<ReleaseResult> =>
  --held.entries > 0
    ? Promise.resolve(isHeld(held) ? 'released' : 'expired')
    : (held.releasing ??= giveBack(held))
