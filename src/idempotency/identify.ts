import type { IdempotentReason } from '../http/refusals.ts'
import type { RequestScope } from '../http/request-scope.ts'
import { assertOption } from '../util/validate.ts'
import { collect } from './collect.ts'
import { fingerprintOf, type Payload, requestKey } from './fingerprint.ts'
import { readKeyHeader } from './key-header.ts'
import type { IdempotencyOptions, Resolved } from './options.ts'

/** The name and the fingerprint of a request. */
export type Identity = {
  /** The key that the client has sent. */
  readonly given: string
  /** A hash of it, the scope and the path. */
  readonly key: string
  readonly fingerprint: string
}

/** Reads the body, and leaves it to the handler; undefined if it is longer than the limit. */
const payloadOf = async <Args extends readonly unknown[]>(
  { request, copyBody }: RequestScope<Args>,
  limit: number,
): Promise<Payload | undefined> => {
  const { body, headers } = request.bodyUsed ? await copyBody!() : request.clone()
  const collected = await collect(body, limit)
  if ('stream' in collected) {
    collected.stream.cancel().catch(() => {})
    return undefined
  }
  const contentType = headers.get('content-type') ?? request.headers.get('content-type') ?? ''
  return { query: new URL(request.url).search, contentType, bytes: collected.bytes }
}

/** Identifies a request; or says why it passes, or is refused. */
export const identify = async <Args extends readonly unknown[], T>(
  requestScope: RequestScope<Args>,
  options: IdempotencyOptions<Args, T>,
  { header, maxPayload }: Resolved,
): Promise<Identity | 'pass' | readonly [IdempotentReason, detail?: string]> => {
  const { args, request } = requestScope
  let given: string | null | undefined
  if (options.key) {
    given = await options.key(...args)
    // Before anything else: it may be what a client has sent.
    assertOption(typeof (given ?? '') === 'string', 'key', 'a function that returns text', given)
  } else {
    const read = readKeyHeader(header, request.headers.get(header))
    if (typeof read === 'object') return read
    given = read
  }
  if (!given) {
    if (options.required === false) return 'pass'
    return ['missing-key', `The request needs ${options.key ? 'a key' : `the header ${header}`}.`]
  }
  const scope = await options.scope(...args)
  const isNamed = typeof scope === 'string' && scope !== ''
  assertOption(isNamed, 'scope', 'a function that returns text', scope)
  const { pathname } = new URL(request.url)
  const key = await requestKey([scope, request.method.toUpperCase(), pathname, given])
  if (options.fingerprint) {
    const fingerprint = await options.fingerprint(...args)
    const fits = typeof fingerprint === 'string' && /^[!-~]{1,256}$/.test(fingerprint)
    const expected = 'a function that returns 1 to 256 visible ASCII characters'
    assertOption(fits, 'fingerprint', expected, fingerprint)
    return { given, key, fingerprint }
  }
  const payload = await payloadOf(requestScope, maxPayload)
  if (!payload) return ['payload-too-large']
  return { given, key, fingerprint: await fingerprintOf(payload) }
}
