import type { Client } from '../local/client.ts'
import { createLock } from '../lock/held-lock.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Namespace } from '../protocol/keys.ts'
import { nextStep } from '../vote/next-step.ts'
import { answered } from '../vote/tally.ts'
import { contend } from './contend.ts'
import type { ContestBallot } from './contest.ts'
import type { AcquireResult } from './results.ts'

/** The lock of a ballot that was won. */
export const lockOf = (ballot: ContestBallot): AcquireResult => ({
  ok: true,
  lock: createLock(ballot),
})

/**
 * Tries until the lock is acquired, by the Redlock algorithm, or `retry` or `wait` ends the call.
 *
 * @throws the signal's reason; nothing stays locked then.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const acquire = (
  client: Client,
  namespace: Namespace,
  key: string | readonly string[],
  options: AcquireCallOptions,
): Promise<AcquireResult> =>
  contend(client, { namespace, next: nextStep, reports: answered, resultOf: lockOf }, key, options)
