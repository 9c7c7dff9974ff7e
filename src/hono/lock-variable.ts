/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context } from 'hono'
import type { Lock } from '../lock/lock.ts'

/**
 * The context variables that `lock()` sets. The lock stays until the body of the response has ended. It
 * is undefined where `key` returned null or `failOpen` let the request pass.
 */
export type LockVariables = { lock: Lock | undefined }

type LockContext = Context<{ Variables: LockVariables }>

// The locks of the nested `lock()` of a request, the innermost last. Their bodies may end in any order.
const nestedLocks = new WeakMap<LockContext, { readonly lock: Lock | undefined }[]>()

/** The variable of one `lock()`: `set` it for the handler, and `restore` what it was before. */
export const lockVariable = (c: LockContext) => {
  const nested = nestedLocks.get(c) ?? [{ lock: c.get('lock') }]
  nestedLocks.set(c, nested)
  let own: { readonly lock: Lock | undefined } | undefined
  return {
    set: (lock: Lock | undefined): void => {
      nested.push((own = { lock }))
      c.set('lock', lock)
    },
    restore: (): void => {
      if (own) nested.splice(nested.indexOf(own), 1)
      own = undefined
      c.set('lock', nested.at(-1)!.lock)
    },
  }
}
