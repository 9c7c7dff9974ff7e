import type { Client } from './process/client.ts'
import type { AcquireCallOptions } from './options/call-options.ts'
import { checkText } from '../protocol/keys.ts'
import { retryFunction } from './retry/retry.ts'
import {
  assertOption,
  checkDelay,
  checkFunction,
  checkStrategy,
  checkTtl,
} from '../util/validate.ts'

/** Checks the options of one call. The default of an omitted option has already been checked, or needs no check. */
export const validateCall = (client: Client, options: AcquireCallOptions): void => {
  const { signal, waitUntil, metadata, ttl, wait, retry, limit, strategy } = options
  assertOption(limit === undefined, 'limit', 'used with withSlots', limit)
  const isSignal = signal === undefined || 'throwIfAborted' in Object(signal)
  assertOption(isSignal, 'signal', 'an AbortSignal', signal)
  if (strategy !== undefined) checkStrategy('strategy', strategy)
  if (metadata !== undefined) checkText('metadata', metadata)
  if (ttl !== undefined) checkTtl('ttl', ttl, client)
  if (wait !== undefined) checkDelay('wait', wait)
  if (retry !== undefined) retryFunction(retry, client.random, 1)
  if (waitUntil === undefined) return
  checkFunction('waitUntil', waitUntil)
  // On Workers, a detached `waitUntil` throws. Calling it here makes it throw before anything is locked.
  waitUntil(Promise.resolve())
}
