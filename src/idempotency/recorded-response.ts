import { fromBase64, toBase64 } from '../util/bytes.ts'
import { mayHaveBody } from '../util/response-status.ts'
import { type BodyStore, getBody, putBody, type StoredBody } from './body-store.ts'
import { type Collected, collect } from './collect.ts'

/** A response as it stands in the content of a record. */
type RecordedResponse = {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body in base64. */
  readonly body?: string
  /** The body in the store. */
  readonly stored?: StoredBody | undefined
  /** True if the body was not kept. */
  readonly isDropped?: true
}

/** How responses are recorded and replayed. */
export type RecordLimits = {
  /** The names of the recorded headers, in lower case. */
  readonly headers: readonly string[]
  /** Bytes of a body on the nodes. */
  readonly maxInline: number
  /** Bytes of a body in the store. */
  readonly maxBody: number
  readonly store: BodyStore | undefined
  /** Returns the ms to wait for the store. */
  readonly patience: () => number
  /** Ms to keep a response. */
  readonly recordTtl: number
}

// Bytes of a whole record in JSON, as it comes from a node. A node reads replies of up to 64 KiB.
const maxContent = 56_000

/** The mark of a replay, as Stripe has it. */
const replayed = ['idempotent-replayed', 'true'] as const

/** A response that is about to be sent. */
export type Written = {
  /** The content of its record. */
  readonly content: string
  /** The response to send, with all of its headers. */
  readonly response: Response
  /** Why it is recorded without its content, if the console is to show that. */
  readonly problem?: string | undefined
}

const tooLarge =
  'an answer is larger than `maxBody`, so a repeated request gets a 409. Raise it, or use a `store`'
const droppedContent = (status: number): string =>
  JSON.stringify({ status, headers: [], isDropped: true } satisfies RecordedResponse)

/** Records that a request has been processed, without its answer: it must not run again. */
export const writeDropped = (response: Response, problem: string): Written => ({
  content: droppedContent(200),
  response,
  problem,
})

const sizeInJson = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length

const bodyOf = async (
  collected: Collected,
  limits: RecordLimits,
): Promise<Pick<RecordedResponse, 'body' | 'stored' | 'isDropped'>> => {
  if ('stream' in collected) return { isDropped: true }
  const { bytes } = collected
  if (bytes.length <= limits.maxInline) return { body: toBase64(bytes) }
  const stored = await putBody(limits.store!, bytes, limits.recordTtl, limits.patience())
  return stored ? { stored } : { isDropped: true }
}

/**
 * Reads a response, up to the limits. A body that is too long is not recorded, but sent.
 *
 * @throws the error of its body.
 */
export const writeResponse = async (response: Response, limits: RecordLimits): Promise<Written> => {
  const { status } = response
  const collected = await collect(response.body, limits.maxBody)
  const headers = limits.headers.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const recorded: RecordedResponse = { status, headers, ...(await bodyOf(collected, limits)) }
  const content = JSON.stringify(recorded)
  const sent = 'bytes' in collected ? collected.bytes : collected.stream
  const fits = sizeInJson(content) <= maxContent
  const own = new Response(mayHaveBody(status) ? sent : null, response)
  // A handler may pass on the answer of another service, which was a replay there.
  own.headers.delete(replayed[0])
  return {
    content: fits ? content : droppedContent(status),
    response: own,
    problem: 'stream' in collected || !fits ? tooLarge : undefined,
  }
}

/**
 * Makes the response of a record; or says why there is none.
 *
 * @param names - The recorded headers. A lying node may have added others.
 * @param patience - Ms to wait for the store.
 */
export const readResponse = async (
  content: string,
  names: readonly string[],
  store: BodyStore | undefined,
  patience: number,
): Promise<Response | 'answer-not-stored' | 'unavailable'> => {
  const recorded = JSON.parse(content) as RecordedResponse
  const { status, headers, body = '', stored, isDropped } = recorded
  if (isDropped) return 'answer-not-stored'
  const bytes = stored ? await getBody(store, stored, patience) : fromBase64(body)
  if (!bytes) return 'unavailable'
  const all = [...headers.filter(([name]) => names.includes(name)), replayed]
  return new Response(mayHaveBody(status) ? bytes : null, { status, headers: all as HeadersInit })
}
