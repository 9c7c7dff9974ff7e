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
 * Deletes the value of a key, so that the next call of `once` runs again. If a call is running, `forget` waits for it
 * to end, then deletes its value. A marker replaces the value for half a second, and calls of `once` wait until the
 * marker expires.
 *
 * @returns true if every node has deleted the value; false if only a quorum has. After false, the value can reappear
 *   until another call has run. Its source is a node that was unreachable, or a process that paused while reading it.
 * @throws `LockedError` if a call is still running after `wait`; `QuorumError` if too few nodes replied; the reason of
 *   the signal.
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
    // This token is higher than that of every record that a node returned.
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
