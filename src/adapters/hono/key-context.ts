/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, ValidationTargets } from 'hono'

// oxlint-disable-next-line typescript/no-explicit-any -- the Env of a plain `Context` in Hono
export type AnyEnv = any

/** Hono does not pass the path of a route to the types of its middleware, so any parameter may exist. */
type AnyPath = `/:${string}`

/**
 * The results of validators. Inside an expression, Hono does not pass the earlier validators to the types of
 * middleware. A misspelled field is undefined, which a key rejects. Name the type of the context to find it at compile
 * time.
 */
type AnyValid = {
  // oxlint-disable-next-line typescript/no-explicit-any -- the values of any schema
  [side in 'in' | 'out']: { [target in keyof ValidationTargets]: any }
}

/**
 * The context that `key` and `scope` receive. It determines whether anything is locked, so it is never `Context<any>`,
 * in which a misspelled variable compiles. If the Env is unknown, the context has no variables.
 */
export type KeyContext<E extends Env> = 0 extends 1 & E
  ? Context<Env, AnyPath, AnyValid>
  : Context<E, AnyPath, AnyValid>

/** The parameters of `redlock`. It accepts any context, and TypeScript infers `E` from the type of its parameter. */
export type RedlockArgs<E extends Env> = [c: E extends Env ? Context : Context<E>]
