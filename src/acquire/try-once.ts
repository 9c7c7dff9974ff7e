import type { Client } from '../local/client.ts'
import {
  currentRefusal,
  isFresh,
  isHead,
  type News,
  newsOf,
  shareNews,
  takeNotice,
  type Waiter,
} from '../local/wait-queue.ts'
import type { Lease } from '../quorum/lease.ts'
import type { Refusal } from '../reports/results.ts'
import type { Attempt, AttemptFunction } from './attempt.ts'
import { nodeToProbe, probeChooser } from './probe.ts'
import type { AcquireResult } from './results.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import { hasNewRivals, isOwed, lookProbe, looksAgain } from './second-look.ts'

/** The outcome of one try of the acquire loop. */
export type Try = {
  readonly result: AcquireResult
  /** Whether the refusal comes from one node or another caller, so that all nodes should confirm it. */
  readonly isHearsay?: boolean | undefined
  /** Whether the turn of the call has just come, while it slept. */
  readonly isNext?: boolean | undefined
  /** Whether the vote was split: nobody is known to hold the lock. */
  readonly isSplit?: boolean
  /** Whether a split vote asks for a second look. */
  readonly looksAgain?: boolean
  /** Whether this client led a split vote, and got no quorum. */
  readonly hasLed?: boolean | undefined
  /** Whether the rivals in that vote only try, and none of them holds the lock. */
  readonly hasNewRivals?: boolean
  /** Ms that a quorum took to answer last; undefined before the first answer. */
  readonly took: number | undefined
}

/** The dependencies of a try, besides the tries before it. */
export type Trial = {
  readonly client: Client
  readonly schedule: RetrySchedule
  /** The place of the call in a queue; undefined if it is in none. */
  readonly waiter: Waiter | undefined
  /** Reads the ms since the call began. */
  readonly sinceCall: () => number
  readonly signal?: AbortSignal | undefined
  /** Asks the nodes. */
  readonly attempt: AttemptFunction
}

/**
 * Tries once, with a lease of its own. `wasLocked`: the try before was refused as `locked`.
 * `isConfirming`: all nodes are to confirm an earlier refusal.
 */
export type TryOnce = (
  lease: Lease,
  elapsed: () => number,
  wasLocked: boolean,
  isConfirming: boolean,
) => Promise<Try>

/** The refusal of a call in a queue that has had no news yet. It is never returned to the caller. */
export const queued: Refusal = { ok: false, reason: 'locked', retryAfter: 1000, nodes: [] }

/**
 * Makes the function that tries once. It asks the nodes, one of them first where that may be enough;
 * behind others in the queue, it shares the last refusal that one of them received.
 */
export const makeTryOnce = ({
  client,
  schedule,
  waiter,
  sinceCall,
  signal,
  attempt,
}: Trial): TryOnce => {
  const { clock, quorum } = client
  const { left } = schedule
  const chooseProbe = probeChooser(client, waiter?.queue)
  let splitVotes = 0
  /** Ms after which the slowest answer has arrived that came too late for its round. */
  let slowest = 0
  const onSlow = (took: number): void => void (slowest = Math.max(slowest, took))
  let wasBehind = false
  let lastAttempt: Attempt | undefined
  let ownNews: News | undefined

  const lastTook = (): number | undefined => lastAttempt?.took ?? waiter?.queue.news?.took

  /** Whether another caller of the queue asked for the news. */
  const isOthers = (news: News | undefined): news is News =>
    news !== undefined && news.by !== waiter

  /** Shares the news of the queue, where that spares this call a request; undefined where it does not. */
  const shareOf = (
    news: News | undefined,
    isLast: boolean,
    isNotified: boolean | undefined,
  ): Try | undefined => {
    const isBehind = waiter !== undefined && !isHead(waiter)
    // The lock is hardly free because its turn has come, unless it was told so.
    const isNext = wasBehind && !isNotified
    wasBehind = isBehind
    if (isLast ? !(isOthers(news) && isFresh(news)) : !isBehind && !isNext) return undefined
    const result = news ? currentRefusal(news) : queued
    return { result, isHearsay: !isFresh(news), isNext: isNext && !isBehind, took: lastTook() }
  }

  return async (lease, elapsed, wasLocked, isConfirming) => {
    const isNotified = waiter && takeNotice(waiter)
    if (isNotified) schedule.isLast = false
    const isLast = isConfirming || schedule.isLast
    const news = waiter && newsOf(waiter, sinceCall())
    const shared = shareOf(news, isLast, isNotified)
    if (shared) return shared
    // After an outage all nodes are asked, since this call may have left a lease on the first.
    const isHeldFirst = wasLocked && lastAttempt?.answers[nodeToProbe(client)]?.status === 'locked'
    const probe = chooseProbe(!isNotified && (isOthers(news) || (isHeldFirst && !isLast)))
    const { isLook } = schedule
    const before = lastAttempt
    // A frugal client may be rejected by its first probe. The refusal of a later one is to be confirmed.
    const isHearsay = before && probe !== undefined && !isLook
    const first = isLook ? lookProbe(before!, quorum) : probe
    // In a split vote, a node that has answered too late may have the deciding vote.
    const minWait = schedule.isLastLook ? slowest : 0
    lastAttempt = await attempt(lease, elapsed, { probe: first, minWait, onSlow, left, signal })
    const { result, answers, holder, took, hasLed, isUndecided } = lastAttempt
    if (result.ok) return { result, took }
    // Nodes that had little time to answer look like an outage, also where the try before was refused.
    const wasRefused = before && !before.result.ok && before.result.reason === 'locked'
    const isCut = schedule.isShort && wasRefused && result.reason === 'unavailable'
    if (isUndecided || isCut) {
      const learned = (waiter && newsOf(waiter, sinceCall())) ?? ownNews
      return { result: learned ? currentRefusal(learned) : result, took }
    }
    ownNews = shareNews(waiter, result, took, clock)
    const isHeld = holder !== undefined && !(isLook && isOwed(before!, holder, client))
    if (result.reason !== 'locked' || isHeld) return { result, isHearsay, took }
    splitVotes++
    return {
      result,
      isHearsay,
      isSplit: true,
      looksAgain: splitVotes > 1 || looksAgain(answers),
      hasLed,
      hasNewRivals: hasNewRivals(before, lastAttempt, quorum),
      took,
    }
  }
}
