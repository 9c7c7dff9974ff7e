import fc from 'fast-check'
import { bytesOf, type Wire } from './judge.ts'

/** How an answer reaches the client. `maxLength` of a body, where it is not the default. */
export type Transport = {
  readonly name: string
  readonly maxLength?: number
  readonly send: (wire: Wire) => Promise<Response>
}

/** Whether a `Response` can be created with this status and a body. */
const isPlain = ({ status }: Wire): boolean => status >= 200 && ![204, 205, 304].includes(status)

const streamOf = (chunks: Iterable<unknown>, end?: Error): ReadableStream<Uint8Array> => {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream({
    pull: (controller) => {
      const { done, value } = iterator.next()
      if (!done) controller.enqueue(value as Uint8Array)
      else if (end) controller.error(end)
      else controller.close()
    },
  })
}

const textOnly = async (wire: Wire): Promise<Response> =>
  ({
    status: wire.status,
    text: async () => new TextDecoder().decode(bytesOf(wire.body)),
  }) as Response

const plain = async (wire: Wire): Promise<Response> =>
  isPlain(wire) ? new Response(wire.body as BodyInit, { status: wire.status }) : textOnly(wire)

const inPieces =
  (size: number) =>
  async (wire: Wire): Promise<Response> => {
    if (!isPlain(wire)) return textOnly(wire)
    const bytes = bytesOf(wire.body)
    // Long bodies come in larger pieces, so that there are not too many.
    const step = Math.max(size, Math.ceil(bytes.length / 200))
    const starts = Array.from(
      { length: Math.ceil(bytes.length / step) },
      (_, index) => index * step,
    )
    const chunks = starts.map((start) => bytes.subarray(start, start + step))
    return new Response(streamOf(chunks), { status: wire.status })
  }

/** Transports that deliver the whole answer, unchanged. */
export const faithful: fc.Arbitrary<Transport> = fc.constantFrom<Transport[]>(
  { name: 'plain', send: plain },
  // The client cannot stop reading, since there is no stream.
  { name: 'text only', maxLength: Infinity, send: textOnly },
  { name: 'in pieces of 1', send: inPieces(1) },
  { name: 'in pieces of 1000', send: inPieces(1000) },
)

/** Transports that do not deliver the answer, which therefore does not count. */
export const broken: fc.Arbitrary<Transport> = fc.constantFrom<Transport[]>(
  {
    name: 'broken off',
    send: async (wire: Wire) =>
      new Response(streamOf([bytesOf(wire.body).slice(0, 20)], new TypeError('terminated'))),
  },
  { name: 'chunks of text', send: async () => new Response(streamOf(['{"result":1}'])) },
  { name: 'no response', send: async () => undefined as unknown as Response },
  { name: 'no body', send: async () => new Response(null) },
  { name: 'an error response', send: async () => Response.error() },
  {
    name: 'a text that fails',
    send: async () =>
      ({
        status: 200,
        text: async () => Promise.reject(new Error('no text')),
      }) as unknown as Response,
  },
  { name: 'rejected', send: () => Promise.reject(new TypeError('fetch failed')) },
  { name: 'rejected with nothing', send: () => Promise.reject(undefined) },
  { name: 'rejected with text', send: () => Promise.reject('failed') },
  {
    name: 'thrown at once',
    send: () => {
      throw new TypeError('no fetch')
    },
  },
)
