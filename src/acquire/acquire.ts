import { createLock } from '../lock/held-lock.ts'
import { checkKeys, locks, type Namespace } from '../protocol/keys.ts'
import { nextStep } from '../vote/next-step.ts'
import { answered } from '../vote/tally.ts'
import { type Call, intercept } from './call.ts'
import { contend } from './contend.ts'
import type { Contest } from './contest.ts'
import type { AcquireResult, WindowResult } from './results.ts'

/** The contest for a key of this namespace. */
export const contestFor = (namespace: Namespace): Contest<WindowResult> => ({
  namespace,
  next: nextStep,
  reports: answered,
  resultOf: (ballot) => ({ ok: true, lock: createLock(ballot) }),
})

const lockContest = contestFor(locks)

const run = ({ client, contest, key, options }: Call): Promise<AcquireResult> => {
  const own = options.held?.find((lock) => lock.covers(checkKeys(key), client))
  if (own) return Promise.resolve({ ok: true, lock: own.reenter() })
  return contend(client, contest ?? lockContest, key, options)
}

/**
 * Tries until the lock is acquired, by the Redlock algorithm, or `retry` or `wait` ends the call.
 *
 * @throws the signal's reason; nothing stays locked then.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const acquire = (
  client: Call['client'],
  key: Call['key'],
  options: Call['options'],
): Promise<AcquireResult> => intercept({ operation: 'acquire', client, key, options }, run)
