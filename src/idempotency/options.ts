import { checkedRedlock, type PerRequest } from '../http/options.ts'
import type { WaitUntil } from '../options/call-options.ts'
import {
  type KeepAliveLimits,
  keepAliveLimits,
  type KeepAliveOptions,
} from '../options/keep-alive-options.ts'
import type { Redlock } from '../redlock.ts'
import {
  assertOption,
  checkBoolean,
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  minTtl,
} from '../util/validate.ts'
import type { BodyStore } from './body-store.ts'
import { refusalReasons, type RefusalReason, type RequestRefusal } from './refusals.ts'

/**
 * Options of idempotent requests. All times are in ms, all sizes in bytes. `Args` are the arguments of
 * their functions: the context of Hono, or whatever a platform passes. `T` is what the handler returns.
 */
export type IdempotencyOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  ScopeArgs extends readonly unknown[] = Args,
> = KeepAliveOptions & {
  /** The `Redlock`, or a function of the request, for platforms that pass bindings only there. */
  readonly redlock: PerRequest<Redlock, RedlockArgs>
  /**
   * Names the user or the tenant of a request: requests of different scopes never share an answer, even if
   * their keys are equal. Text that is not empty.
   */
  readonly scope: (...request: ScopeArgs) => string | Promise<string>
  /** The header with the key. Default: `Idempotency-Key`. */
  readonly header?: string
  /** Whether a request without a key is refused, with 400. Otherwise it just runs. Default: true. */
  readonly required?: boolean
  /** How long the answer is kept. Default: 86,400,000, which is 24 hours. */
  readonly recordTtl?: number
  /**
   * How long a request counts as being processed unless its claim is extended, which happens while its
   * handler runs. After a crash, a retry runs that much later. Default: the `ttl` of the `Redlock`.
   */
  readonly ttl?: number
  /**
   * Maximum time to wait for the answer to the same request. Default 0: 409 at once, and 2 s for a `store`
   * that has the answer.
   */
  readonly wait?: number
  /**
   * Whether to record an answer. One that is not recorded releases the key, so that a retry runs.
   * Default: not for 401, 403, 408, 409, 425, 429 and 5xx, with `Retry-After`, or as an event stream.
   */
  readonly record?: (response: T, ...request: Args) => boolean | Promise<boolean>
  /**
   * Names what makes two requests the same, instead of a SHA-256 of query, content type and payload: 1 to
   * 256 visible ASCII characters. The payload is not read then.
   */
  readonly fingerprint?: (...request: Args) => string | Promise<string>
  /** The largest payload to read for the fingerprint. Default: 1,048,576. A larger one gets 413. */
  readonly maxPayload?: number
  /**
   * The largest body that is recorded. Default: 16,384 on the nodes, where up to 32,768 are allowed;
   * 1,048,576 with a `store`. The answer to a larger one is sent once, and its replay is a 409.
   */
  readonly maxBody?: number
  /** The response headers that are recorded, beside `content-type`. Never `set-cookie`. */
  readonly headers?: readonly string[]
  /** Keeps bodies of more than 16,384 bytes: `kvStore`, `r2Store`, `d1Store` or your own. */
  readonly store?: PerRequest<BodyStore, Args>
  /** Other statuses for refused requests, by reason. */
  readonly statuses?: Partial<Readonly<Record<RefusalReason, number>>>
  /** Returns the response to a refused request, or undefined for the default. */
  readonly onRefused?: (
    ...request: [...Args, refusal: RequestRefusal]
  ) => Response | undefined | Promise<Response | undefined>
  /**
   * Returns the `waitUntil` of a request, for platforms where it is not found by itself. It is found
   * on Workers and Vercel, and wherever the context of a request has one.
   */
  readonly waitUntil?: (...request: Args) => WaitUntil | undefined
}

const integerFrom =
  (min: number) =>
  (option: string, given: number): void =>
    checkInteger(option, given, min)

const checks = {
  redlock: undefined,
  scope: undefined,
  header: undefined,
  required: checkBoolean,
  recordTtl: integerFrom(1000),
  ttl: integerFrom(minTtl),
  wait: (option: string, given: number) => checkNumber(option, given, 0),
  record: checkFunction,
  fingerprint: checkFunction,
  maxPayload: integerFrom(0),
  maxBody: integerFrom(0),
  headers: undefined,
  store: undefined,
  statuses: undefined,
  onRefused: checkFunction,
  waitUntil: checkFunction,
  maxHold: undefined,
  maxExtensions: undefined,
}

// What a client needs to make sense of a body, or to find what was created.
const defaultHeaders = [
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-location',
  'etag',
  'last-modified',
  'link',
  'location',
]

/** The maximum of bytes on the nodes without a store, and by default. */
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

const token = /^[!#$%&'*+.^_`|~\w-]+$/

const checkHeaders = (headers: readonly string[]): string[] => {
  const areNames =
    Array.isArray(headers) && headers.every((one) => typeof one === 'string' && token.test(one))
  assertOption(areNames, 'headers', 'a list of header names', headers)
  const all = new Set(['content-type', ...headers.map((one) => one.toLowerCase())])
  // A cookie may be the session of whoever sent the first request.
  const hasCookies = all.has('set-cookie') || all.has('set-cookie2')
  const expected = 'a list without set-cookie, which is never recorded'
  assertOption(!hasCookies, 'headers', expected, headers, 'one with it')
  return [...all]
}

const checkStatuses = (statuses: object): void => {
  const isObject = typeof statuses === 'object' && statuses !== null
  assertOption(isObject, 'statuses', 'an object of statuses by reason', statuses)
  checkOptions('statuses', statuses, refusalReasons.join(', '))
  for (const [reason, status] of Object.entries(statuses)) {
    if (status !== undefined) checkInteger(`statuses['${reason}']`, status as number, 400, 599)
  }
}

/** Checks options once, when the middleware is created, rather than at its first request. */
export const resolveOptions = <Args extends readonly unknown[], T>(
  call: string,
  options: IdempotencyOptions<Args, T>,
): Resolved => {
  checkOptions(call, options, checks)
  const { redlock, scope, header = 'Idempotency-Key', store } = options
  if (typeof redlock !== 'function') checkedRedlock(redlock)
  const expected = 'a function that returns the user or the tenant of a request'
  assertOption(typeof scope === 'function', 'scope', expected, scope)
  assertOption(
    typeof header === 'string' && token.test(header),
    'header',
    'the name of a header',
    header,
  )
  const isStore = store === undefined || typeof store === 'function' || isBodyStore(store)
  assertOption(
    isStore,
    'store',
    'a store, such as kvStore(binding), or a function of the request',
    store,
  )
  const { maxBody = store ? 2 ** 20 : defaultInline, maxPayload = 2 ** 20 } = options
  const { recordTtl = 86_400_000, headers = defaultHeaders } = options
  const limit = `at most ${maxInline} without a \`store\``
  assertOption(store || maxBody <= maxInline, 'maxBody', limit, maxBody)
  if (options.statuses !== undefined) checkStatuses(options.statuses)
  return {
    limits: keepAliveLimits(options),
    header,
    headers: checkHeaders(headers),
    maxInline: store ? defaultInline : maxInline,
    maxBody,
    maxPayload,
    recordTtl,
  }
}

/** Whether it is a store. A binding of Cloudflare has the same methods with other arguments. */
export const isBodyStore = (store: unknown): boolean => {
  const { put, get, constructor } = Object(store) as Partial<BodyStore> & object
  const isBinding = /^(KvNamespace|R2Bucket)$/.test(constructor?.name ?? '')
  return typeof put === 'function' && typeof get === 'function' && !isBinding
}

const transient = new Set([401, 403, 408, 409, 425, 429])

/** The default of `record`: an answer that invites another try says nothing lasting. */
export const isLasting = ({ status, headers }: Response): boolean =>
  status < 500 &&
  !transient.has(status) &&
  !headers.has('retry-after') &&
  !/^text\/event-stream/i.test(headers.get('content-type') ?? '')
