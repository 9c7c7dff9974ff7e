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

/** A response as it is stored in the content of a record. */
type RecordedResponse = RecordedBody & {
  readonly status: number
  /** The form in which the handler threw it; undefined if the handler returned it. */
  readonly thrownAs?: ThrownAs | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** How responses are recorded and replayed. */
export type RecordLimits = BodyLimits & {
  /** The names of the recorded headers, in lower case. */
  readonly headers: readonly string[]
  /** The maximum number of bytes of a body. */
  readonly maxBody: number
}

/** Ms after which a client should look again for an answer. The claim is extended, so its end is unknown. */
export const lookAgain: { readonly retryAfter: number } = { retryAfter: unknownRetryAfter }

/** The header that marks a replay, as with Stripe. */
const replayed = ['idempotent-replayed', 'true'] as const

/** A response that is about to be sent. */
export type Written = {
  /** The response to send, with all of its headers. */
  readonly response: Response
  /** The content of its record; undefined if it must not be recorded. */
  readonly content?: string
  /** Why it is recorded without its content, if the console should show that. */
  readonly problem?: string | undefined
}

const tooLarge =
  'an answer is larger than `maxBody`: its replay is a 409. Raise it, or use a `store`'
const unknownEncoding =
  'an answer has a `content-encoding` that cannot be decoded here: its replay is a 409. ' +
  'Compress before idempotent(), not inside'

/** A body as it is recorded: without its encoding, which another client may not accept. */
const recordable = async (
  content: Uint8Array<ArrayBuffer>,
  headers: Headers,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const encoding = headers.get('content-encoding')
  if (!encoding || /^identity$/i.test(encoding) || content.length === 0) return content
  // `fetch` decodes a response, but keeps its header.
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

/** Records that a request has been processed, without its answer, since it must not run again. */
export const writeDropped = (response: Response, problem: string): Written => ({
  content: droppedContent(200),
  response,
  problem,
})

/**
 * Reads a response, up to the limits. A body that is too long is sent, but not recorded.
 *
 * @param thrownAs - How it was thrown; undefined if it was returned.
 * @throws the error of its body.
 */
export const writeResponse = async (
  response: Response,
  limits: RecordLimits,
  thrownAs?: ThrownAs,
): Promise<Written> => {
  const { status } = response
  const content = await collect(response.body, limits.maxBody)
  const isWhole = content instanceof Uint8Array
  // A body that broke off is sent unchanged and not recorded. The client notices that it is incomplete.
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
  // A handler may pass on the answer of another service, which was a replay there.
  own.headers.delete(replayed[0])
  return {
    content: fits ? text : droppedContent(status),
    response: own,
    problem: plain && fits ? undefined : isWhole && fits ? unknownEncoding : tooLarge,
  }
}

/** A response from a record, and how it was thrown. */
type Replay = { readonly response: Response; readonly thrownAs: ThrownAs | undefined }

/**
 * Creates the response from a record, or returns why there is none.
 *
 * @param names - The recorded headers. A malicious node may have added others.
 * @param patience - Ms to wait for the store.
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
