/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, ValidationTargets } from 'hono'

// oxlint-disable-next-line typescript/no-explicit-any -- the Env of a plain `Context` in Hono
export type AnyEnv = any

/** Hono does not tell middleware the path of its route, so each parameter may be there. */
type AnyPath = `/:${string}`

/**
 * What validators have found. Hono does not tell middleware inside an expression which of them came before. A misspelt
 * field is undefined, which a key rejects; name the type of the context to find it at compile time.
 */
type AnyValid = {
  // oxlint-disable-next-line typescript/no-explicit-any -- the values of any schema
  [side in 'in' | 'out']: { [target in keyof ValidationTargets]: any }
}

/**
 * The context that `key` and `scope` receive. It decides whether anything is locked, so it is never
 * `Context<any>`, in which a misspelt variable compiles: if nothing is known of the Env, it has no variables.
 */
export type KeyContext<E extends Env> = 0 extends 1 & E
  ? Context<Env, AnyPath, AnyValid>
  : Context<E, AnyPath, AnyValid>

/**
 * The parameters of `redlock`. It accepts any context, and TypeScript infers `E` from the one that it
 * names.
 */
export type RedlockArgs<E extends Env> = [c: E extends Env ? Context : Context<E>]
