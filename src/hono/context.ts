import type { Context } from 'hono'
import type { WaitUntil } from '../http/background.ts'

/** A value, or a function that takes it from the request: bindings exist only there. */
export type PerRequest<T> = T | ((c: Context) => T | Promise<T>)

/** The resource(s) of a request; undefined to let it pass without a lock. */
export type RequestKey = PerRequest<string | readonly string[] | undefined>

/** Resolves an option for this request. */
export const forRequest = async <T extends object | string | undefined>(
  c: Context,
  option: PerRequest<T>,
): Promise<T> => (typeof option === 'function' ? option(c) : option)

/** The runtime's `waitUntil`; undefined where it has none, as on Lambda and plain Node. */
export const waitUntilOf = (c: Context): WaitUntil | undefined => {
  try {
    const { executionCtx } = c
    // Called on its object: workerd refuses a detached waitUntil as an illegal invocation.
    return (work) => executionCtx.waitUntil(work)
  } catch {
    // The getter throws where the adapter passes no context.
    return undefined
  }
}
