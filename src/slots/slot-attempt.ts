import type { Attempt, AttemptFunction } from '../acquire/attempt.ts'
import { releaseNodes, rollBack } from '../acquire/rollback.ts'
import { leadAfter, leadWithin, maxLeadingRounds } from '../acquire/split-vote.ts'
import { createLock } from '../lock/held-lock.ts'
import { enterAnswer } from '../quorum/distinct-servers.ts'
import { ownerKeys } from '../protocol/keys.ts'
import { isAffordable, type Lease } from '../quorum/lease.ts'
import { startRound } from '../quorum/round.ts'
import {
  type Answer,
  type Answers,
  answered,
  freeIn,
  isOutage,
  noAnswers,
  responsive,
} from '../quorum/tally.ts'
import { validityOf } from '../quorum/validity.ts'
import type { NodeReport } from '../reports/node-report.ts'
import { sleep } from '../util/clock.ts'
import { defer } from '../util/defer.ts'
import { freeOf, grantedSlot, isFullHouse, slotNumbers, wonSlot } from './reading.ts'
import { slotCall, slotKey, type Wanted } from './slot-call.ts'

type Reading = { readonly slot: number | undefined; readonly isFinal: boolean }

/** The lease on all slots of the key of this one. */
const leaseOnAll = (lease: Lease, limit: number): Lease => {
  const keys = slotNumbers(limit).map((slot) => slotKey(lease.keys[0]!, slot))
  return { ...lease, keys, ownerKeys: ownerKeys(lease.client, lease.namespace, keys) }
}

/** The lease on one of the slots. */
const leaseOnOne = (lease: Lease, slot: number): Lease => ({
  ...lease,
  keys: [lease.keys[slot - 1]!],
  ownerKeys: [lease.ownerKeys[slot - 1]!],
})

/** The answers as those of a lock on this slot. */
const answersFor = (answers: Answers, slot: number): Answers =>
  answers.map((answer) =>
    answer?.status !== 'granted' || grantedSlot(answer) === slot
      ? answer
      : { ...answer, status: 'absent' },
  )

/** The reports for the caller: without the holders of all slots, which stand in place of metadata. */
const reportsOf = (answers: Answers): NodeReport[] =>
  answered(answers).map(({ metadata: _metadata, ...report }) => report)

/**
 * The slot for which this client is to ask again in a split vote: that of the first node which answered,
 * if that has granted one. So that node decides which client gets which slot.
 */
const ledSlot = (answers: Answers): number | undefined =>
  grantedSlot(answers.find((answer) => answer && !answer.error))

/**
 * Makes the attempt to acquire one of `limit` slots, in place of the attempt to acquire a lock. Each slot is
 * a lock, so it has one holder at most. One round asks each node for any slot. A client that gets
 * different slots from different nodes, and has the first node, asks the others for the slot of that.
 *
 * @param onWon - Called with the number of slots that are still free on a quorum of nodes.
 */
export const slotAttempt = (limit: number, onWon?: (free: number) => void): AttemptFunction => {
  /** The slots that the last round of the call found free on a quorum of nodes, before it asked. */
  let free: readonly number[] = []
  return async (given, elapsed, { onSlow, left, signal }): Promise<Attempt> => {
    const { client, ttl, value, waitUntil } = given
    const { quorum, clock, random, nodes } = client
    const lease = leaseOnAll(given, limit)
    const validity = validityOf(client, ttl, elapsed)
    let answers = noAnswers(nodes)
    let [askedAt, took] = [0, 0]
    let won: number | undefined
    /** The only slot that this client asks for, after the first round. */
    let led: number | undefined
    /** How many nodes answered in one round. */
    let heard = 0
    let hasFailed = false

    /** Asks nodes for the slot that was won, in place of another one that they have granted. */
    const move = (asked: readonly number[], slot: number): void => {
      if (asked.length === 0) return
      const call = slotCall(lease, `only ${slot}`, clock.wall())
      void startRound(lease, 'a', { read: () => ({ isFinal: false }), elapsed, asked, call })
    }
    const onLate = (index: number, answer: Answer): void => {
      if (!answers[index]) enterAnswer(client, lease.keys, answers, index, answer)
      if (!answer.error) onSlow?.(elapsed())
      if (answer.status !== 'granted') return
      if (hasFailed) releaseNodes(lease, [index], elapsed)
      else if (won !== undefined && grantedSlot(answer) !== won) move([index], won)
    }
    /** Whether no further answer, and no further round, can lead to a slot. */
    const isRefused = (all: Answers): boolean =>
      isFullHouse(all, limit, quorum) || isOutage(all, quorum)
    const ask = async (
      wanted: Wanted,
      within: number,
      asked?: readonly number[],
    ): Promise<number | undefined> => {
      const read = (all: Answers): Reading => {
        const slot = wonSlot(all, quorum, led)
        return { slot, isFinal: slot !== undefined || isRefused(all) }
      }
      const call = slotCall(lease, wanted, clock.wall())
      const options = { read, elapsed, signal, onLate, answers, asked, call, skipsSlow: true }
      const round = await startRound(lease, 'a', { ...options, settleAfter: within })
      free = freeOf(answers, limit, quorum)
      ;({ took, askedAt } = round)
      heard = Math.max(heard, responsive(answers))
      return round.reading.slot
    }
    const mayGoOn = (): boolean =>
      !isRefused(answers) &&
      validity() > 2 * leadWithin(took) &&
      left() > took &&
      isAffordable(lease)

    try {
      // From a slot of one's own choice on, so that clients do not all ask for the same, if none is known to
      // be free.
      const pick = (from: readonly number[]): number => from[Math.floor(random() * from.length)]!
      won = await ask(`any ${pick(free.length > 0 ? free : slotNumbers(limit))}`, left())
      for (let rounds = maxLeadingRounds; won === undefined && rounds && mayGoOn(); rounds--) {
        led ??= ledSlot(answers)
        if (led === undefined) break
        const pause = askedAt + leadAfter(took, client) - elapsed()
        await sleep(clock, Math.max(0, Math.min(pause, left())), signal)
        const slot = led
        answers = answers.map((answer) => (grantedSlot(answer) === slot ? answer : undefined))
        const asked = [...answers.keys()].filter((index) => !answers[index])
        won = await ask(`only ${slot}`, Math.min(leadWithin(took), left()), asked)
      }
      if (validity() <= 0) won = undefined
    } finally {
      hasFailed = won === undefined
      if (hasFailed) defer(waitUntil, rollBack(lease, answers, !signal?.aborted, elapsed))
    }
    const seen = { answers, took, value }
    if (won !== undefined) {
      const slot = won
      const isStray = (index: number): boolean =>
        answers[index]?.status === 'granted' && grantedSlot(answers[index]) !== slot
      move([...answers.keys()].filter(isStray), slot)
      onWon?.(free.filter((one) => one !== slot).length)
      const lock = createLock(leaseOnOne(lease, slot), validity, answersFor(answers, slot))
      return { ...seen, result: { ok: true, lock } }
    }
    const isFull = isFullHouse(answers, limit, quorum)
    const isOut = isOutage(answers, quorum)
    // Where too few nodes have answered, because there was no time, one that has no free slot is enough.
    const isEarly = elapsed() - askedAt < leadWithin(took)
    const isHeld = isEarly && answers.some((answer) => answer?.status === 'locked')
    const isLocked = isFull || (!isOut && validity() > 0 && (heard >= quorum || isHeld))
    return {
      ...seen,
      result: {
        ok: false,
        reason: isLocked ? 'locked' : 'unavailable',
        retryAfter: freeIn(answers, quorum, 1000),
        nodes: reportsOf(answers),
      },
      hasLed: led !== undefined,
      isUndecided: heard < quorum && isEarly && !isOut,
      // Any text will do: nobody is known where the vote was split.
      holder: isFull ? 'all' : undefined,
    }
  }
}
