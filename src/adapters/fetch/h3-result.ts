import { mayHaveBody } from '../../util/bytes.ts'
import { isLasting, isMessage } from '../../util/thrown-answer.ts'
import { type H3Event, isH3Event } from './h3-event.ts'

// This file reproduces the response that h3 creates from a handler's result, so that the response can be recorded.

/** An h3 handler's result as a response to record. */
type H3Outcome = {
  readonly response: Response
  /** Why the result cannot be converted to a response. */
  readonly problem?: string
  /** Whether to send the response instead of the result, because a stream can be read only once. */
  readonly isInPlace?: boolean
}

/** A body as h3 sends it. A status or a type that the handler set on the event can override `status` and `type`. */
type Sent = {
  readonly body: BodyInit | null
  readonly type?: string
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
}

/** An h3 2 event. */
type H3Event2 = { readonly res?: { readonly status?: number; readonly headers?: Headers } }

/** The status and the headers that the handler set on its event. */
type Prepared = { readonly status: number | undefined; readonly headers: Headers }

/** The response that h3 2 uses for `html()`, `redirect()` and similar functions. */
type HTTPResponse = {
  readonly body: BodyInit | null
  readonly status?: number
  readonly headers: Headers
}

const unknownBody = 'the handler has answered by itself: return a Response, or data'
const nothing = 'the handler has returned nothing'
const unsendable = (result: unknown): string => `h3 cannot send a ${typeof result}`

/** Whether an object has no class. Some objects of h3 2 have an empty object as their prototype. */
const isPlain = (given: object): boolean => {
  const prototype = Object.getPrototypeOf(given) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const isHTTPResponse = (given: unknown): given is HTTPResponse => {
  const { headers } = Object(given) as Partial<HTTPResponse>
  return (
    typeof headers?.get === 'function' && 'body' in (given as object) && !isPlain(given as object)
  )
}

/** Whether a value is a web stream or a Node stream, which h3 sends part by part. */
const isStream = (given: unknown): given is object => {
  const { pipe, pipeTo } = Object(given) as { readonly pipe?: unknown; readonly pipeTo?: unknown }
  return typeof pipe === 'function' || typeof pipeTo === 'function'
}

const streamOfBody = (given: object): ReadableStream => {
  if ('pipeTo' in given) return given as ReadableStream
  const parts = (given as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? new TextEncoder().encode(value) : value)
    },
    cancel: async () => void (await parts.return?.()),
  })
}

/** A blob is sent with its type. h3 2 adds the name of the file. */
const ofBlob = (blob: Blob, withName: boolean): Sent => {
  const headers = new Headers()
  const { name } = blob as Partial<File>
  if (withName && name) {
    const escaped = encodeURIComponent(name)
    headers.set('content-disposition', `filename="${escaped}"; filename*=UTF-8''${escaped}`)
  }
  return { body: blob, type: blob.type, headers }
}

const json = (result: unknown, type: string): Sent => ({
  // h3 sends a bigint as its digits, although JSON does not support bigints.
  body: typeof result === 'bigint' ? `${result}` : (JSON.stringify(result) ?? ''),
  type,
})

/** The body that h3 1 sends for a result. @returns the reason, as a string, if h3 sends nothing. */
const sentBy1 = (result: unknown, { status }: Prepared): Sent | string => {
  if (result === undefined) return nothing
  if (result === null) return { body: null, status: status === 200 ? 204 : status }
  if (isStream(result)) return { body: streamOfBody(result) }
  if (ArrayBuffer.isView(result)) return { body: result as BufferSource }
  if (result instanceof Blob) return ofBlob(result, false)
  if (typeof Object(result).end === 'function') return unknownBody
  if (typeof result === 'string') return { body: result, type: 'text/html' }
  const isData = ['object', 'boolean', 'number', 'bigint'].includes(typeof result)
  return isData ? json(result, 'application/json') : unsendable(result)
}

/** Whether h3 2 sends a result as JSON. */
const isJson = (result: unknown): boolean => {
  if (typeof result !== 'object' || result === null) return true
  const { toJSON } = result as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' || Array.isArray(result) || isPlain(result)
}

/** The body that h3 2 sends for a result. @returns the reason, as a string, if h3 sends nothing. */
const sentBy2 = (result: unknown): Sent | string => {
  if (result === undefined || result === null) return { body: '' }
  if (typeof result === 'string') return { body: result }
  if (typeof result === 'symbol' || typeof result === 'function') return unsendable(result)
  if (isHTTPResponse(result)) return result
  // Check this before `isJson`, because a Buffer has a `toJSON` method.
  if (result instanceof Uint8Array) return { body: result as BufferSource }
  if (result instanceof Blob) return ofBlob(result, true)
  if (isStream(result)) return { body: streamOfBody(result) }
  // `Response` accepts bytes, forms and search parameters, and converts anything else to text.
  return isJson(result)
    ? json(result, 'application/json;charset=UTF-8')
    : { body: result as BodyInit }
}

/** The body that either version of h3 sends. In h3 2, middleware that returns nothing passes the request on. */
const sentBy = (
  event: unknown,
  next: unknown,
  result: unknown,
  prepared: Prepared,
): Sent | string => {
  if (isH3Event(event)) return sentBy1(result, prepared)
  return result === undefined && typeof next === 'function' ? nothing : sentBy2(result)
}

const headersOf1 = ({ node }: H3Event): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(node.res.getHeaders?.() ?? {})) {
    for (const value of [values ?? []].flat()) headers.append(name, `${value}`)
  }
  return headers
}

/** The status and the headers of an event. Cookies are omitted: h3 adds them to each response, and records have none. */
const preparedOf = (event: unknown): Prepared => {
  const { res } = event as H3Event2
  const isFirst = isH3Event(event)
  const headers = isFirst ? headersOf1(event) : new Headers(res?.headers)
  headers.delete('set-cookie')
  return { status: isFirst ? event.node.res.statusCode : res?.status, headers }
}

/** Adds the headers that the handler set on the event to a response, as h3 does. */
const withPrepared = (event: unknown, response: Response, { headers }: Prepared): Response => {
  const { status, body } = response
  const isFirst = isH3Event(event)
  // h3 2 omits these headers from error responses. A network error or a 101 cannot be copied.
  if (status < 200 || (status >= 400 && !isFirst) || [...headers].length === 0) return response
  const all = new Headers(response.headers)
  for (const [name, value] of headers) if (!isFirst || !all.has(name)) all.set(name, value)
  return new Response(body, { status, headers: all, statusText: response.statusText })
}

/** The response that h3 creates from a body, with the status and the headers that the handler set on the event. */
const responseOfEvent = (sent: Sent, prepared: Prepared): Response => {
  const status = sent.status || prepared.status || 200
  const headers = new Headers(sent.headers)
  for (const [name, value] of prepared.headers) headers.set(name, value)
  if (sent.type && !headers.has('content-type')) headers.set('content-type', sent.type)
  return new Response(mayHaveBody(status) ? sent.body : null, { status, headers })
}

/** The response of a handler that has already sent one, for example with `sendRedirect`. */
const alreadySent = ({ status = 200, headers }: Prepared): H3Outcome => {
  const response = new Response(null, { status, headers })
  // The body is unknown. A redirect, and a status without a body, can be replayed without it. A response that is not
  // lasting, such as a 5xx, is not recorded by default, so its body is not needed.
  const isKnown = headers.has('location') || !mayHaveBody(status) || !isLasting(response)
  return isKnown ? { response } : { response, problem: unknownBody }
}

/**
 * The response that h3 creates from the result of a handler.
 *
 * @param next - Calls the next handler, if this one is middleware of h3 2.
 * @throws the result, if it is an error: h3 handles it as if the handler had thrown it.
 */
export const outcomeOfH3 = (event: unknown, next: unknown, result: unknown): H3Outcome => {
  if (result instanceof Error) throw result
  const prepared = preparedOf(event)
  if (isH3Event(event) && event.handled) return alreadySent(prepared)
  if (isMessage(result)) {
    return { response: withPrepared(event, result as Response, prepared), isInPlace: true }
  }
  const sent = sentBy(event, next, result, prepared)
  if (typeof sent === 'string') return { response: Response.error(), problem: sent }
  return {
    response: responseOfEvent(sent, prepared),
    isInPlace: sent.body instanceof ReadableStream,
  }
}
