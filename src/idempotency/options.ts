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
 * Options of idempotent requests. All times are in ms, all sizes in bytes. `Args` are the arguments that option
 * functions receive: the Hono context, or the arguments that the platform passes to a handler. `T` is the return type
 * of the handler.
 */
export type IdempotencyGateOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  ScopeArgs extends readonly unknown[] = Args,
> = SharedOptions<Args, IdempotentReason, RedlockArgs> &
  HoldOptions & {
    /**
     * Returns the user or the tenant of a request, as non-empty text. Requests of different scopes never share a
     * response, even if their keys are equal.
     */
    readonly scope: (...request: ScopeArgs) => string | Promise<string>
    /**
     * Returns the key of a request, such as the event ID of a webhook, in place of a header. If the function returns
     * null, undefined or '', the request has no key.
     */
    readonly key?: (
      ...request: ScopeArgs
    ) => string | null | undefined | Promise<string | null | undefined>
    /** The header with the key. Default: `Idempotency-Key`. */
    readonly header?: string
    /** Whether to reject a request without a key with 400, instead of running it unprotected. Default: true. */
    readonly required?: boolean
    /** How long the response is kept. Default: 86,400,000, which is 24 hours. */
    readonly recordTtl?: number
    /**
     * The response to a repeated request after a failed run: the handler threw, responded with 5xx, or its body failed.
     * `'retry'` (default): the handler runs again, which suits handlers that roll back on an error, or whose effects can
     * safely happen twice. `'replay'`: the client receives the recorded failure, as with Stripe. This suits handlers
     * that may have charged a card before they failed.
     */
    readonly failures?: 'retry' | 'replay' | undefined
    /**
     * Whether to record a response. If it is not recorded, the key is released, so that a retry runs the handler. The
     * function also receives redirects that were thrown and, with `failures: 'replay'`, the response that represents an
     * error.
     *
     * Default: all but 401, 403, 408, 409, 425, 429, 5xx, responses with `Retry-After`, and event streams. With
     * `failures: 'replay'`: all but event streams. If the function throws, the request fails with the same error; with
     * `failures: 'replay'`, a 500 is recorded.
     */
    readonly shouldRecord?: (response: T, ...request: Args) => boolean | Promise<boolean>
    /**
     * Identifies the content of a request, in place of a SHA-256 of query, content type and payload. A function must
     * return 1 to 256 visible ASCII characters; the payload is then not read. `canonicalJson` compares JSON by its
     * values, regardless of the order of members.
     */
    readonly fingerprint?: ((...request: Args) => string | Promise<string>) | PayloadForm
    /** The largest payload to read for the fingerprint. Larger ones are rejected with 413. Default: 1,048,576. */
    readonly maxPayload?: number
    /**
     * The largest body that is recorded. Default: 16,384, and at most 32,768; with a `store`, 1,048,576. A response with
     * a larger body is sent once, and repeated requests receive a 409.
     */
    readonly maxBody?: number
    /** The response headers to record, in addition to `content-type`. `set-cookie` is not allowed. */
    readonly headers?: readonly string[]
    /** The store for bodies larger than 16,384 bytes: `kvStore`, `r2Store`, `d1Store` or your own `bodyStore`. */
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
    // A replayed cookie could hand over the session of the client that sent the first request.
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

/** In bytes: the largest body that can be recorded without a store, and the default limit. */
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

/** Checks options when the middleware is created, rather than on the first request. */
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
