import { validateCall } from '../../core/validate-call.ts'
import { hasPromised } from '../../core/claim/reading.ts'
import { complete, prepare, recordAttempt, releaseAll } from '../../core/claim/rounds.ts'
import type { Redlock } from '../../client/redlock.ts'
import { answered, freeIn, highestCounter, isOutage, tallyOf } from '../../core/quorum.ts'
import { forgetPause, onceWait } from '../../core/retry/times.ts'
import { waitingFor } from '../../core/retry/waiting.ts'
import { handOver, mayRetry, onceKey, unclaimedError } from './key.ts'
import { checkForgetOptions, type ForgetOptions } from './options.ts'
import { forgotten } from './value.ts'

/**
 * Deletes the value of a key, so that the next call of `once` runs again. If a call is running, it waits for that call,
 * and deletes its value. A mark replaces the value for half a second, and calls of `once` wait until the mark expires.
 *
 * @returns true if every node has deleted the value; false if only a quorum has. Then a node that was unreachable may
 *   bring the value back, unless a call has run by then. So may a process that paused while it was reading the value.
 * @throws `LockedError` if a call is still running after `wait`; `QuorumError` if too few nodes answered; the reason
 *   of the signal.
 * @example
 * ```ts
 * await forget(redlock, `token:${userId}`)
 * ```
 */
export const forget = async (
  redlock: Redlock,
  key: string,
  options: ForgetOptions = {},
): Promise<boolean> => {
  checkForgetOptions(options)
  const request = onceKey(redlock, key, options)
  validateCall(request.client, options)
  const { wait = onceWait, signal } = options
  const { clock, quorum, random, ranks } = request.client
  const { left, pause } = waitingFor(clock, wait, signal)
  for (;;) {
    signal?.throwIfAborted()
    const lease = recordAttempt(request)
    const answers = await prepare(lease, clock.wall(), ranks)
    // Higher than the token of every record that a node has returned.
    const token = highestCounter(answers, clock.wall())
    const record = { ...request, id: lease.id, token, content: forgotten, ttl: handOver }
    const promised = ranks.filter((index) => hasPromised(answers[index]))
    let written = 0
    const write = async (index: number): Promise<void> => {
      const asked = [index]
      const replies = await complete(lease, answers[index]!.fence!, record, { asked })
      if (replies[index]?.status === 'accepted') written++
    }
    if (promised.length >= quorum) await Promise.all(promised.map(write))
    releaseAll(lease)
    if (written >= quorum) return written === ranks.length
    if (!mayRetry(request, left())) {
      const isDown = isOutage(tallyOf(answers), answers, quorum)
      const rejected = {
        retryAfter: freeIn(answers, quorum),
        nodes: answered(answers),
      }
      throw unclaimedError(key, { state: isDown ? 'unavailable' : 'locked', ...rejected })
    }
    await pause(random() * forgetPause)
  }
}
