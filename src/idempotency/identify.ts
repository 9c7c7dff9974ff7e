import type { RequestScope } from '../requests/request-scope.ts'
import { bodyReadBefore, lendBody } from '../requests/lend-body.ts'
import type { GateRejection } from '../requests/with-request.ts'
import { assertOption } from '../util/validate.ts'
import { collect, concat, encode, sha256 } from '../util/bytes.ts'
import type { PayloadForm } from './canonical-json.ts'
import type { IdempotencyGateOptions, Resolved } from './options.ts'

/** The fields of a URL-encoded form in one notation: clients differ in which characters they escape. */
const fieldsOf = (bytes: Uint8Array): Uint8Array[] => {
  const fields = `${new URLSearchParams(new TextDecoder().decode(bytes))}`
  // A form that is not in UTF-8 is compared by its bytes, because all invalid bytes decode to the same character.
  return fields.includes('%EF%BF%BD') ? [encode('?'), bytes] : [encode(fields)]
}

/**
 * The content of a payload, in parts that are the same for equal payloads. The bytes of equal forms can differ,
 * because browsers separate the fields of each submission with a new random boundary.
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
      // The length marks where the part ends, so that two different forms never have the same parts.
      parts.push(encode(JSON.stringify([...about, content.length])), content)
    }
    return parts
  } catch {
    // Malformed forms are compared by their bytes. The `?` distinguishes them from parsed forms, which start with `[`.
    return [encode('?'), bytes]
  }
}

/** Copies a request. @throws if its body has been read, or is being read. */
const copyOfRequest = (request: Request): Request => {
  try {
    return request.clone()
  } catch {
    throw bodyReadBefore()
  }
}

/**
 * The SHA-256 of the query, the content type without parameters, and the content. The handler can still read the
 * content. Undefined if the content is longer than `limit`.
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

/** The key of a request in Redis: a hash, so that the key reveals no IDs and its length is fixed. */
const requestKey = (parts: readonly string[]): Promise<string> =>
  sha256(encode(JSON.stringify(parts)))

// The maximum length of a key, in characters. A UUID has 36, and Stripe accepts up to 255.
const maxLength = 255

// Either a quoted string, with optional parameters after it, or a key without quotes. Outside of quotes, commas are not
// allowed: a comma joins the values of a header that was sent twice.
// https://www.rfc-editor.org/rfc/rfc8941#section-3.3
const keyPattern = /^(?:"((?:[ !#-[\]-~]|\\["\\])*)"(?:;[^,"]*)?|([!#-+\--~]*))$/

/**
 * Reads the key from its header; undefined unless the header contains exactly one key. The IETF draft requires quotes,
 * and most clients omit them: both forms yield the same key. Parameters after the quotes are ignored.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 */
const readKey = (header: string): string | undefined => {
  const [, inQuotes, plain] = keyPattern.exec(header.trim()) ?? []
  const key = inQuotes?.replace(/\\(.)/g, '$1') ?? plain
  return key && key.length > maxLength ? undefined : key
}

/** The key and the fingerprint of a request. */
export type Identity = {
  /** The key that the client sent, or that the `key` option returned. */
  readonly given: string
  /** A hash of the key, the scope, the method and the path. */
  readonly key: string
  readonly fingerprint: string
}

/** Identifies a request, or returns its rejection. Undefined if the request has no key and does not need one. */
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
  // Check the type before the content, because the value may come from a client.
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
