import type { UsingOptions } from '../options/call-options.ts'
import type { Settings } from '../options/resolve-options.ts'
import { checkText } from '../protocol/keys.ts'
import { retryFunction } from '../retry/retry.ts'
import { checkFunctions, checkNumber, checkTtl, expect } from '../util/validate.ts'

/** Ms for which a lock may be held at most: from now, or from whenever it is asked for. */
export type MaxHold = number | (() => number) | undefined

/** What a call may be given. */
export type ContendOptions = Omit<UsingOptions, 'maxHold'> & { readonly maxHold?: MaxHold }

/** Checks what a call was given, at the door. What was left out has been checked, or needs none. */
export const checkCall = (settings: Settings, options: ContendOptions): void => {
  const { signal, waitUntil, metadata, ttl, wait, retry } = options
  const isSignal = signal === undefined || 'throwIfAborted' in Object(signal)
  expect(isSignal, 'signal', 'an AbortSignal', signal)
  if (metadata !== undefined) checkText('metadata', metadata)
  if (ttl !== undefined) checkTtl('ttl', ttl, settings)
  if (wait !== undefined) checkNumber('wait', wait, 0)
  if (retry !== undefined) retryFunction(retry, settings.random, 1)
  if (waitUntil === undefined) return
  checkFunctions({ waitUntil })
  // What throws, as a detached one does on Workers, is to throw before anything is locked.
  waitUntil(Promise.resolve())
}
