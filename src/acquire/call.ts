import type { Client } from '../local/client.ts'
import type { Lock } from '../lock/lock.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Contest } from './contest.ts'
import type { WindowResult } from './results.ts'

/** A client with what extends its calls. The first interceptor is the outermost. */
export type InterceptedClient = Client & { readonly interceptors: readonly Interceptor[] }

/** The options of a call inside the package. */
export type CallOptions = AcquireCallOptions & {
  /** The window of a throttle, in ms. */
  readonly window?: number
  /** The locks that the request holds already: one of them is entered again. */
  readonly held?: readonly Lock[] | undefined
}

/** One call of a client, before anything is checked or sent. */
export type Call = {
  readonly operation: 'acquire' | 'throttle' | 'claim'
  readonly client: InterceptedClient
  readonly key: string | readonly string[]
  readonly options: CallOptions
  /** What it asks the nodes for. Default: the key itself. */
  readonly contest?: Contest<WindowResult> | undefined
}

/**
 * Extends the calls of a client: it may change a call, its client, or its result, and make more than one call
 * of it.
 *
 * @param next - Makes the call.
 */
export type Interceptor = <Result extends object>(
  call: Call,
  next: (call: Call) => Promise<Result>,
) => Promise<Result>

/** Makes a call: through the interceptors of its client, and then by `run`. */
export const intercept = <Result extends object>(
  call: Call,
  run: (call: Call) => Promise<Result>,
): Promise<Result> => {
  const { interceptors } = call.client
  const pass = async (one: Call, index: number): Promise<Result> => {
    const interceptor = interceptors[index]
    return interceptor ? interceptor(one, (next) => pass(next, index + 1)) : run(one)
  }
  return interceptors.length > 0 ? pass(call, 0) : run(call)
}
