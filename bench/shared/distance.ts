import { delayBoth, sleep } from '../../tools/faults.ts'
import type { Fault } from '../../verification/comparison/faults.ts'

/** The one-way delay to a distant server: 3 to 10 ms, drawn for each request. */
const way = (): number => 3 + 7 * Math.random()
const distance = (): Promise<void> => sleep(way())

/** The delay to a distant server and back. */
export const remote: Fault = delayBoth(way)

/** Delays each message of a stream like a distant server. */
const distant = (): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform: async (chunk, controller) => {
      await distance()
      controller.enqueue(chunk)
    },
  })

/** A fetch to distant servers, which reports the body of each request. */
export const distantFetch =
  (onRequest: (body: unknown) => void): typeof fetch =>
  async (input, init) => {
    onRequest(init?.body)
    await distance()
    const response = await fetch(input, init)
    if (response.headers.get('content-type') !== 'text/event-stream') {
      await distance()
      return response
    }
    return new Response(response.body!.pipeThrough(distant()), response)
  }
