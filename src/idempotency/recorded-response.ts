import type { GateRejection } from '../requests/with-request.ts'
import { unknownRetryAfter } from '../core/results/results.ts'
import {
  type BodyLimits,
  type BodyStore,
  fitsReply,
  readBody,
  type RecordedBody,
  writeBody,
} from './stores/body-store.ts'
import { collect, mayHaveBody } from '../util/bytes.ts'
import type { ThrownAs } from '../util/thrown-answer.ts'
import { decoded } from './decoded.ts'

/** The content of a record: a response. */
type RecordedResponse = RecordedBody & {
  readonly status: number
  /** The form in which the handler threw the response; undefined if the handler returned it. */
  readonly thrownAs?: ThrownAs | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** How responses are recorded and replayed. */
export type RecordLimits = BodyLimits & {
  /** The names of the recorded headers, in lower case. */
  readonly headers: readonly string[]
  /** The maximum size of a body, in bytes. */
  readonly maxBody: number
}

/** How long a client should wait before it retries, in ms. The claim can be extended, so its end is unknown. */
export const lookAgain: { readonly retryAfter: number } = { retryAfter: unknownRetryAfter }

/** The header that marks a replay, as with Stripe. */
const replayed = ['idempotent-replayed', 'true'] as const

/** A response that is about to be sent. */
export type Written = {
  /** The response to send, with all of its headers. */
  readonly response: Response
  /** The content of its record; undefined if the response must not be recorded. */
  readonly content?: string
  /** A warning that explains why the response is recorded without its content. */
  readonly problem?: string | undefined
}

const tooLarge =
  'a response is larger than `maxBody`: its replay is a 409. Raise it, or use a `store`'
const unknownEncoding =
  'an answer has a `content-encoding` that cannot be decoded here: its replay is a 409. ' +
  'Compress before idempotent(), not inside'

/** The body to record: decoded, because the client that receives the replay may not accept its encoding. */
const recordable = async (
  content: Uint8Array<ArrayBuffer>,
  headers: Headers,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const encoding = headers.get('content-encoding')
  if (!encoding || /^identity$/i.test(encoding) || content.length === 0) return content
  // `fetch` decodes a body, but leaves its `content-encoding` header in place.
  const isDecoded = /gzip/i.test(encoding) && (content[0] !== 0x1f || content[1] !== 0x8b)
  return isDecoded ? content : decoded(content, encoding, limit)
}

/** Whether the body is shorter than its `content-length`. A decoded body is exempt, since it may be shorter. */
const isTruncated = (content: Uint8Array, { status, headers }: Response): boolean =>
  mayHaveBody(status) &&
  !headers.has('content-encoding') &&
  content.length < Number(headers.get('content-length') ?? 0)

const droppedContent = (status: number): string =>
  JSON.stringify({ status, headers: [], isDropped: true } satisfies RecordedResponse)

/** Records that a request has been processed, without its response, so that it does not run again. */
export const writeDropped = (response: Response, problem: string): Written => ({
  content: droppedContent(200),
  response,
  problem,
})

/**
 * Reads a response and creates its record. A body above the limits is sent, but not recorded.
 *
 * @param thrownAs - How the handler threw the response; undefined if the handler returned it.
 * @throws the error of the body.
 */
export const writeResponse = async (
  response: Response,
  limits: RecordLimits,
  thrownAs?: ThrownAs,
): Promise<Written> => {
  const { status } = response
  const content = await collect(response.body, limits.maxBody)
  const isWhole = content instanceof Uint8Array
  // A truncated body is sent as it is and not recorded. The client can detect the truncation by the `content-length`.
  if (isWhole && isTruncated(content, response)) {
    return { response: new Response(content, response) }
  }
  const plain = isWhole ? await recordable(content, response.headers, limits.maxBody) : undefined
  const headers = [...response.headers].filter(
    ([name]) => limits.headers.includes(name) && name !== 'content-encoding',
  )
  const body: RecordedBody = plain ? await writeBody(plain, limits) : { isDropped: true }
  const recorded: RecordedResponse = { status, headers, ...body, thrownAs }
  const text = JSON.stringify(recorded)
  const fits = fitsReply(text)
  const own = new Response(mayHaveBody(status) ? content : null, response)
  // A handler can pass on the response of another service, which marked it as a replay.
  own.headers.delete(replayed[0])
  return {
    content: fits ? text : droppedContent(status),
    response: own,
    problem: plain && fits ? undefined : isWhole && fits ? unknownEncoding : tooLarge,
  }
}

/** A response from a record, and how the handler threw it. */
type Replay = { readonly response: Response; readonly thrownAs: ThrownAs | undefined }

/**
 * Creates the response from a record, or returns a rejection if the record has none.
 *
 * @param names - The headers to replay. A malicious node could have added others.
 * @param patience - How long to wait for the store, in ms.
 */
export const readResponse = async (
  content: string,
  names: readonly string[],
  store: BodyStore | undefined,
  patience: number,
): Promise<Replay | GateRejection> => {
  const recorded = JSON.parse(content) as RecordedResponse
  const { status, headers, isDropped, thrownAs } = recorded
  if (isDropped) return { reason: 'response-not-stored' }
  const bytes = await readBody(recorded, store, patience)
  if (!bytes) return { reason: 'unavailable', ...lookAgain }
  const all = [...headers.filter(([name]) => names.includes(name)), replayed]
  const init = { status, headers: all as HeadersInit }
  return { response: new Response(mayHaveBody(status) ? bytes : null, init), thrownAs }
}
