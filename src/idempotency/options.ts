import { idempotentRejections, type IdempotentReason } from '../requests/rejections.ts'
import {
  checkRequestOptions,
  holdChecks,
  type HoldOptions,
  orFunction,
  type PerRequest,
  type SharedOptions,
} from '../requests/request-options.ts'
import { type KeepAliveLimits, keepAliveLimits } from '../core/options/call-options.ts'
import {
  assertOption,
  type OptionCheck,
  checkBoolean,
  checkChoice,
  checkFunction,
  checkInteger,
} from '../util/validate.ts'
import type { PayloadForm } from './canonical-json.ts'
import { type BodyStore, checkStore } from './stores/body-store.ts'

/**
 * Options of idempotent requests. All times are in ms, all sizes in bytes. `Args` are the arguments of the functions
 * among them: the context of Hono, or whatever a platform passes. `T` is the return type of the handler.
 */
export type IdempotencyGateOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  ScopeArgs extends readonly unknown[] = Args,
> = SharedOptions<Args, IdempotentReason, RedlockArgs> &
  HoldOptions & {
    /**
     * Returns the user or the tenant of a request, as non-empty text. Requests of different scopes never share an
     * answer, even if their keys are equal.
     */
    readonly scope: (...request: ScopeArgs) => string | Promise<string>
    /**
     * Returns the key of a request in place of a header, such as the ID of a webhook's event. Without text, the request
     * has no key.
     */
    readonly key?: (
      ...request: ScopeArgs
    ) => string | null | undefined | Promise<string | null | undefined>
    /** The header with the key. Default: `Idempotency-Key`. */
    readonly header?: string
    /** Whether a request without a key is rejected, with 400. Otherwise it just runs. Default: true. */
    readonly required?: boolean
    /** How long the answer is kept. Default: 86,400,000, which is 24 hours. */
    readonly recordTtl?: number
    /**
     * The answer to a repeated request after a run that threw, whose body failed, or that answered with 5xx. `'retry'`
     * (default): it runs again, which suits handlers whose effects are undone by an error, or may happen twice.
     * `'replay'`: it gets the recorded failure, as with Stripe. This suits handlers that may have charged a card before
     * they failed.
     */
    readonly failures?: 'retry' | 'replay' | undefined
    /**
     * Whether to record an answer. If it is not recorded, the key is released, so that a retry runs. The function also
     * gets redirects that were thrown, and with `failures: 'replay'` the response that represents an error.
     *
     * Default: all but 401, 403, 408, 409, 425, 429, 5xx, answers with `Retry-After`, and event streams. With
     * `failures: 'replay'`: all but event streams. If the function throws, the request fails with the same error; with
     * `failures: 'replay'`, a 500 is recorded.
     */
    readonly shouldRecord?: (response: T, ...request: Args) => boolean | Promise<boolean>
    /**
     * Identifies the content of a request, in place of a SHA-256 of query, content type and payload. A function returns
     * 1 to 256 visible ASCII characters, and the payload is not read. `canonicalJson` compares JSON by its content, in
     * any order of its members.
     */
    readonly fingerprint?: ((...request: Args) => string | Promise<string>) | PayloadForm
    /** The largest payload to read for the fingerprint. Default: 1,048,576. A larger one gets 413. */
    readonly maxPayload?: number
    /**
     * The largest body that is recorded. Default: 16,384 on the nodes, which allow up to 32,768; 1,048,576 with a
     * `store`. An answer with a larger body is sent once, and its replay is a 409.
     */
    readonly maxBody?: number
    /** The response headers that are recorded, beside `content-type`. Never `set-cookie`. */
    readonly headers?: readonly string[]
    /** Keeps bodies of more than 16,384 bytes: `kvStore`, `r2Store`, `d1Store` or your own `bodyStore`. */
    readonly store?: PerRequest<BodyStore, Args>
  }

const integerFrom =
  (min: number): OptionCheck =>
  (option, given) =>
    checkInteger(option, given, min)

const isToken = (name: unknown): boolean =>
  typeof name === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(name)

const checks = {
  ...holdChecks,
  scope: checkFunction,
  key: checkFunction,
  header: (option: string, given: unknown) =>
    assertOption(isToken(given), option, 'a header name', given),
  required: checkBoolean,
  recordTtl: integerFrom(1000),
  failures: checkChoice('retry', 'replay'),
  shouldRecord: checkFunction,
  fingerprint: (option: string, given: unknown) => {
    const fits = typeof given === 'function' || typeof Object(given).canonical === 'function'
    assertOption(fits, option, 'a function or canonicalJson', given)
  },
  maxPayload: integerFrom(0),
  maxBody: integerFrom(0),
  headers: (option: string, given: readonly unknown[]) => {
    // A cookie may be the session of the client that sent the first request.
    const areNames =
      Array.isArray(given) &&
      given.every((name) => isToken(name) && !/^set-cookie2?$/i.test(name as string))
    assertOption(areNames, option, 'a list of header names without set-cookie', given)
  },
  store: orFunction(checkStore),
}

// Headers that a client needs to interpret a body, or to find what was created.
const defaultHeaders = [
  'content-disposition',
  'content-language',
  'content-location',
  'etag',
  'last-modified',
  'link',
  'location',
  'vary',
]

/** The maximum number of bytes on the nodes without a store, and the default. */
const [maxInline, defaultInline] = [32_768, 16_384]

/** The options that are the same for every request. */
export type Resolved = {
  readonly limits: KeepAliveLimits
  readonly header: string
  readonly headers: readonly string[]
  readonly maxInline: number
  readonly maxBody: number
  readonly maxPayload: number
  readonly recordTtl: number
}

/** Checks options once, when the middleware is created, rather than at its first request. */
export const resolveIdempotency = <Args extends readonly unknown[], T>(
  call: string,
  options: IdempotencyGateOptions<Args, T>,
): Resolved => {
  const checked = checkRequestOptions(call, options, idempotentRejections, checks, 'scope')
  const { store, headers = defaultHeaders } = options
  const resolved = {
    header: 'Idempotency-Key',
    maxBody: store ? 2 ** 20 : defaultInline,
    maxPayload: 2 ** 20,
    recordTtl: 86_400_000,
    ...checked,
    limits: keepAliveLimits(options),
    headers: ['content-type', ...headers.map((one) => one.toLowerCase())],
    maxInline: store ? defaultInline : maxInline,
  }
  const limit = `at most ${maxInline} without a \`store\``
  assertOption(store || resolved.maxBody <= maxInline, 'maxBody', limit, resolved.maxBody)
  return resolved
}
