import type { RequestScope } from '../http/request-scope.ts'
import { assertOption } from '../util/validate.ts'
import { fingerprintOf, requestKey } from './fingerprint.ts'
import type { HttpInput } from './http-input.ts'
import { readKeyHeader } from './key-header.ts'
import type { IdempotencyOptions, Resolved } from './options.ts'
import type { RefusalReason } from './refusals.ts'

/** The name and the fingerprint of a request; or why it is refused. */
export const identify = async <Args extends readonly unknown[], T>(
  { options, args }: RequestScope<Args, IdempotencyOptions<Args, T>>,
  { header, maxPayload }: Resolved,
  input: HttpInput,
): Promise<{ key: string; fingerprint: string } | 'pass' | [RefusalReason, detail?: string]> => {
  const read = readKeyHeader(header, input.header(header))
  if (!read) {
    if (options.required === false) return 'pass'
    return ['missing-key', `The request needs the header ${header}.`]
  }
  if ('problem' in read) return ['bad-key', read.problem]
  const scope = await options.scope(...args)
  const isNamed = typeof scope === 'string' && scope !== ''
  assertOption(isNamed, 'scope', 'a function that returns text that is not empty', scope)
  const key = await requestKey([scope, input.method.toUpperCase(), input.path, read.key])
  if (options.fingerprint) {
    const fingerprint = await options.fingerprint(...args)
    const fits = typeof fingerprint === 'string' && /^[!-~]{1,256}$/.test(fingerprint)
    const expected = 'a function that returns 1 to 256 visible ASCII characters'
    assertOption(fits, 'fingerprint', expected, fingerprint)
    return { key, fingerprint }
  }
  const body = await input.body(maxPayload)
  if (!body) return ['large-payload']
  const contentType = body.contentType ?? input.header('content-type') ?? ''
  const payload = { query: input.query, contentType, bytes: body.bytes }
  return { key, fingerprint: await fingerprintOf(payload) }
}
