/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context } from 'hono'
import type { Lock } from '../lock/lock.ts'

/**
 * The context variables that `lock()` sets. The lock stays until the body of the response has ended. It
 * is undefined if `key` returned null or `failOpen` let the request pass.
 */
export type LockVariables = { lock: Lock | undefined }

type LockContext = Context<{ Variables: LockVariables }>

// The variables of the nested `lock()` of a request, the innermost last. Their bodies may end in any order.
const nestedVariables = new WeakMap<LockContext, Set<LockVariables>>()

/** Sets the variable. @returns the function that restores what it was before. */
export const setLockVariable = (c: LockContext, lock: Lock | undefined): (() => void) => {
  const nested = nestedVariables.get(c) ?? new Set([{ lock: c.get('lock') }])
  nestedVariables.set(c, nested)
  const own: LockVariables = { lock }
  nested.add(own)
  c.set('lock', lock)
  return () => {
    nested.delete(own)
    c.set('lock', [...nested].pop()!.lock)
  }
}
