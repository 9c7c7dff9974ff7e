import type { RequestScope } from '../requests/request-scope.ts'
import { bodyReadBefore, lendBody } from '../requests/lend-body.ts'
import type { GateRejection } from '../requests/with-request.ts'
import { assertOption } from '../util/validate.ts'
import { collect, concat, encode, sha256 } from '../util/bytes.ts'
import type { PayloadForm } from './canonical-json.ts'
import type { IdempotencyGateOptions, Resolved } from './options.ts'

/** The fields of a URL-encoded form, whose characters may be escaped or not. */
const fieldsOf = (bytes: Uint8Array): Uint8Array[] => {
  const fields = `${new URLSearchParams(new TextDecoder().decode(bytes))}`
  // In another charset, different characters would all become the same one.
  return fields.includes('%EF%BF%BD') ? [encode('?'), bytes] : [encode(fields)]
}

/**
 * The content of a payload, in parts. A browser separates the parts of a form with a new random boundary each time, so
 * the bytes of the same form differ.
 */
const contentOf = async (
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  contentType: string,
  form: PayloadForm | undefined,
): Promise<Uint8Array[]> => {
  const canonical = form?.canonical(bytes, type)
  if (canonical !== undefined) return [encode(canonical)]
  if (type === 'application/x-www-form-urlencoded') return fieldsOf(bytes)
  if (type !== 'multipart/form-data') return [bytes]
  try {
    const headers = { 'content-type': contentType }
    const fields = await new Response(bytes, { headers }).formData()
    const parts: Uint8Array[] = []
    for (const [name, value] of fields) {
      const isText = typeof value === 'string'
      const content = isText ? encode(value) : new Uint8Array(await value.arrayBuffer())
      const about = isText ? [name] : [name, value.name, value.type]
      // The length marks the end of a part.
      parts.push(encode(JSON.stringify([...about, content.length])), content)
    }
    return parts
  } catch {
    // The parts of a readable form begin with a bracket, so these bytes cannot equal them.
    return [encode('?'), bytes]
  }
}

/** A copy of a request whose body has not been read, and is not being read. */
const copyOfRequest = (request: Request): Request => {
  try {
    return request.clone()
  } catch {
    throw bodyReadBefore()
  }
}

/**
 * The SHA-256 of everything that an answer depends on, beside method and path. This is the query, the content type
 * without parameters, and the content, which is left to the handler. Undefined if the content is longer than the limit.
 */
const fingerprintOf = async <Args extends readonly unknown[]>(
  { request, copyBody }: RequestScope<Args>,
  limit: number,
  form: PayloadForm | undefined,
): Promise<string | undefined> => {
  const { body, headers } = request.bodyUsed ? await copyBody!() : copyOfRequest(request)
  const content = await collect(body, limit)
  if (content instanceof ReadableStream) {
    content.cancel().catch(() => {})
    return undefined
  }
  const contentType = headers.get('content-type') ?? request.headers.get('content-type') ?? ''
  const type = contentType.split(/[\s;]/, 1)[0]!.toLowerCase()
  const parts = await contentOf(content, type, contentType, form)
  const about = JSON.stringify([type, new URL(request.url).search])
  return sha256(concat([encode(about), ...parts]))
}

/** The name of a request in Redis: a hash, so that it reveals no ID and is never too long. */
const requestKey = (parts: readonly string[]): Promise<string> =>
  sha256(encode(JSON.stringify(parts)))

// The maximum number of characters of a key: UUIDs have 36, and Stripe takes 255.
const maxLength = 255

// A string in quotes, with the parameters that may follow it; or a key without quotes. A comma elsewhere could join the
// values of a header that was sent twice.
// https://www.rfc-editor.org/rfc/rfc8941#section-3.3
const keyPattern = /^(?:"((?:[ !#-[\]-~]|\\["\\])*)"(?:;[^,"]*)?|([!#-+\--~]*))$/

/**
 * Reads the header with the key; undefined if it is not exactly one key. The draft of the IETF writes a string in
 * quotes, and most clients write the key without them: both are the same key. Parameters after the quotes are ignored.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 */
const readKey = (header: string): string | undefined => {
  const [, inQuotes, plain] = keyPattern.exec(header.trim()) ?? []
  const key = inQuotes?.replace(/\\(.)/g, '$1') ?? plain
  return key && key.length > maxLength ? undefined : key
}

/** The name and the fingerprint of a request. */
export type Identity = {
  /** The key that the client has sent. */
  readonly given: string
  /** A hash of the key, the scope, the method and the path. */
  readonly key: string
  readonly fingerprint: string
}

/** Identifies a request, or returns why it is rejected. Undefined if it passes without a key. */
export const identify = async <Args extends readonly unknown[], T>(
  requestScope: RequestScope<Args>,
  options: IdempotencyGateOptions<Args, T>,
  { header, maxPayload }: Resolved,
): Promise<Identity | GateRejection | undefined> => {
  const { args, request, lent, url = request.url } = requestScope
  const given = options.key
    ? ((await lendBody(lent, () => options.key!(...args))) ?? '')
    : readKey(request.headers.get(header) ?? '')
  if (given === undefined) {
    const detail = `The header ${header} must be one key: up to ${maxLength} visible ASCII characters without a comma, or in quotes.`
    return { reason: 'invalid-key', detail }
  }
  // The type is checked first, since the value may come from a client.
  assertOption(typeof given === 'string', 'key(...)', 'text', given)
  if (!given) {
    if (options.required === false) return undefined
    const detail = `The request needs ${options.key ? 'a key' : `the header ${header}`}.`
    return { reason: 'missing-key', detail }
  }
  const scope = await lendBody(lent, () => options.scope(...args))
  assertOption(scope && typeof scope === 'string', 'scope(...)', 'text', scope)
  const { pathname } = new URL(url)
  const key = await requestKey([scope, request.method.toUpperCase(), pathname, given])
  const { fingerprint: own } = options
  const isOwn = typeof own === 'function'
  const fingerprint = await (isOwn
    ? lendBody(lent, () => own(...args))
    : fingerprintOf(requestScope, maxPayload, own))
  if (!isOwn && !fingerprint) return { reason: 'payload-too-large' }
  const fits = typeof fingerprint === 'string' && /^[!-~]{1,256}$/.test(fingerprint)
  assertOption(fits, 'fingerprint(...)', '1 to 256 visible ASCII characters', fingerprint)
  return { given, key, fingerprint }
}
