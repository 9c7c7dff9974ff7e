import type { Context } from 'hono'
import { expect } from '../expect.ts'
import type { WaitUntil } from '../http/background.ts'
import type { Redlock } from '../redlock.ts'

/** A value, or a function that takes it from the request: bindings exist only there. */
export type PerRequest<T> = T | ((c: Context) => T | Promise<T>)

/** What every middleware of this package needs to know. */
export type RequestOptions = {
  /** The `Redlock`, or a function of the context, since bindings exist only in a request. */
  readonly redlock: PerRequest<Redlock>
  /** The resource(s) of a request. A function may return undefined to let the request pass. */
  readonly key: string | readonly string[] | ((c: Context) => RequestKey | Promise<RequestKey>)
}

/** The resource(s) of one request; undefined where there is nothing to lock. */
export type RequestKey = string | readonly string[] | undefined

/** Checks at mount what would else pass every request, or fail every one. */
export const checkRequestOptions = ({ redlock, key }: RequestOptions): void => {
  expect(redlock, 'redlock', 'a Redlock, or a function of the context', redlock)
  expect(key, 'key', 'a string, several, or a function of the context', key)
}

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
