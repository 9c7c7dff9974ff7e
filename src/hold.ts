import { type Claim, isAffordable, startValidity } from './claim.ts'
import { stopwatch } from './clock.ts'
import { checkDistinct } from './distinct.ts'
import { LockLostError, QuorumError } from './errors.ts'
import { checkTtl } from './expect.ts'
import { agreed, highest } from './fence.ts'
import { keepAlive } from './keep-alive.ts'
import type { Lock, ReleaseResult } from './lock.ts'
import { type Answers, known, startRound, type Vote } from './round.ts'
import type { Operation } from './scripts.ts'

/**
 * The lock on what a claim has won. `validity` reads how many ms of it are left, `answers` is what
 * the nodes said last.
 */
export const hold = (claim: Claim, validity: () => number, answers: Answers): Lock => {
  const { keys, value, metadata, ttl, clock, emit, quorum } = claim
  let isOver = false
  let entries = 1
  // Of an adopted lock, clocks have told how long it lives, and no node yet.
  let isGuess = !answers.length
  let token: number | undefined
  let controller: AbortController | undefined
  let releasing: Promise<ReleaseResult> | undefined
  let stopTimer: (() => void) | undefined
  let stopKeeping: (() => void) | undefined

  const expiresIn = (): number => (isOver ? 0 : Math.max(0, validity()))
  const end = (): void => {
    isOver = true
    stopTimer?.()
    stopKeeping?.()
  }
  /** Marks the lock as lost, unless it was released; returns the error to throw. */
  const lose = (): LockLostError => {
    const error = new LockLostError(keys)
    if (!releasing) controller?.abort(error)
    if (!isOver) {
      end()
      emit({ type: 'lost', keys })
    }
    return error
  }
  const watch = (): void => {
    stopTimer?.()
    // Re-armed until nothing is left: timers fire early, and an extend moves the end.
    if (lock.held) stopTimer = clock.setTimer(watch, Math.ceil(expiresIn()))
    else lose()
  }
  /** Reads the token out of the answers, if they confirm one. Two of one database would be none. */
  const confirm = (): number | undefined => {
    checkDistinct(claim)
    return (token ??= agreed(answers, quorum))
  }
  const ask = async (operation: Operation, ttl?: number): Promise<[Vote, elapsed: number]> => {
    const elapsed = stopwatch(clock)
    const told: Answers = []
    const asking = { ...claim, ttl: ttl ?? claim.ttl, fence: highest(answers) }
    const vote = await startRound(asking, operation, { answers: told })
    answers = told
    if (operation < 'r') confirm()
    return [vote, elapsed()]
  }
  const unknown = (): QuorumError =>
    new QuorumError(keys, { retryAfter: 1000, nodes: known(answers) })
  const giveBack = async (): Promise<ReleaseResult> => {
    // Whoever releases it late is to hear of it.
    if (!isOver && !lock.held) lose()
    end()
    const [vote, elapsed] = await ask('r')
    const result = vote === 'yes' ? 'released' : vote === 'no' ? 'expired' : 'unconfirmed'
    emit({ type: 'released', keys, elapsed, result })
    return result
  }

  const lock: Lock = {
    keys,
    metadata,
    get value() {
      return value
    },
    get expiresIn() {
      return expiresIn()
    },
    get held() {
      return expiresIn() > 0
    },
    get signal() {
      if (!controller) {
        controller = new AbortController()
        if (!releasing) watch()
      }
      return controller.signal
    },
    extend: async (longer = ttl) => {
      checkTtl('ttl', longer, claim)
      if (!lock.held) throw lose()
      const next = startValidity(claim, longer)
      const [vote, elapsed] = await ask('e', longer)
      // The old validity must not have ended meanwhile: between the two, another may have held it.
      if (vote === 'no' || !lock.held) throw lose()
      if (vote !== 'yes' || next() <= 0) throw unknown()
      if (isGuess || next() > validity()) validity = next
      isGuess = false
      if (controller) watch()
      emit({ type: 'extended', keys, elapsed, expiresIn: expiresIn() })
    },
    fence: async () => {
      for (let rounds = 8, vote: Vote = 'yes'; ;) {
        if (vote === 'no' || !lock.held) throw lose()
        const confirmed = confirm()
        if (confirmed) return confirmed
        // A node that tells another counter each time would keep this going for ever.
        if (vote !== 'yes' || !rounds--) throw unknown()
        // An extend that lengthens nothing: it raises all counters to the highest that was told.
        ;[vote] = await ask('e', Math.ceil(expiresIn()))
      }
    },
    ttl: async () => {
      if (isOver) return 0
      const [vote, elapsed] = await ask('i')
      if (vote === 'unknown') throw unknown()
      const lives = known(answers).flatMap(({ status, ttl = 0 }) =>
        status === 'granted' ? ttl : [],
      )
      return vote === 'yes' ? Math.max(0, Math.min(...lives) - elapsed) : 0
    },
    reenter: () => {
      if (!lock.held) throw lose()
      entries++
      return lock
    },
    nest: () => {
      lock.reenter()
      let left: Promise<ReleaseResult> | undefined
      const release = (): Promise<ReleaseResult> => (left ??= lock.release())
      const dispose = async (): Promise<void> => void (await release())
      // All else is that of the lock.
      const own = { release, [Symbol.asyncDispose]: dispose, keepAlive: () => {} }
      return { __proto__: lock, ...own } as unknown as Lock
    },
    release: async () => {
      if (--entries > 0) return lock.held ? 'released' : 'expired'
      return (releasing ??= giveBack())
    },
    [Symbol.asyncDispose]: async () => void (await lock.release()),
    toJSON: () => ({ keys, value, ttl, metadata, expiresAt: clock.wall() + expiresIn() }),
    covers: (wanted, place) =>
      place === claim.place && lock.held && wanted.every((key) => keys.includes(key)),
    keepAlive: (limits) => {
      stopKeeping = keepAlive(lock, ttl, clock, limits, () => isAffordable(claim))
    },
  }
  return lock
}
