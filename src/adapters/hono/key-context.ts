/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, ValidationTargets } from 'hono'

// oxlint-disable-next-line typescript/no-explicit-any -- the Env of a plain `Context` in Hono
export type AnyEnv = any

/** Hono does not pass the path of a route to the types of its middleware, so every parameter name is allowed. */
type AnyPath = `/:${string}`

/**
 * The results of validators. Hono does not pass earlier validators to the types of middleware that is created inline.
 * A misspelled field is undefined, so its key is rejected at run time. To find the mistake at compile time, annotate
 * the context parameter.
 */
type AnyValid = {
  // oxlint-disable-next-line typescript/no-explicit-any -- a schema can produce any value
  [side in 'in' | 'out']: { [target in keyof ValidationTargets]: any }
}

/**
 * The context that `key` and `scope` receive. A misspelled variable there would disable the lock, so this type is never
 * `Context<any>`, which accepts every name. If the Env is unknown, the context has no variables.
 */
export type KeyContext<E extends Env> = 0 extends 1 & E
  ? Context<Env, AnyPath, AnyValid>
  : Context<E, AnyPath, AnyValid>

/** The parameters of the `redlock` function. It accepts any context, and TypeScript infers `E` from its parameter. */
export type RedlockArgs<E extends Env> = [c: E extends Env ? Context : Context<E>]
