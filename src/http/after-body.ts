import { systemClock } from '../clock.ts'

// What is made in advance of the reader: so a short body ends even if nobody reads it, as when the
// client has gone or another response was put in its place.
const readAhead = 65_536

/**
 * Calls back once when nothing more of the response will be made: when its body has ended, was
 * cancelled by the client or failed; at once where there is no body to wait for; and when nobody
 * has begun to read a long one within `patience` ms.
 *
 * What `done` returns is awaited before the end of the body goes out, so that work can be finished
 * where the runtime freezes after the response. It must not reject.
 *
 * @returns the response to send in place of the given one.
 */
export const afterBody = async <T>(
  request: Request | undefined,
  response: T,
  done: () => Promise<unknown>,
  patience: number,
): Promise<T | Response> => {
  const { body, status } = Object(response) as Response
  // The body of an answer to HEAD is dropped unread, a 101 cannot be made anew, and what is no
  // response has no body to wait for.
  const isStream = typeof body?.getReader === 'function'
  if (!isStream || request?.method === 'HEAD' || status === 101 || request?.signal?.aborted) {
    await done()
    return response
  }
  const reader = body.getReader()
  let made = 0
  let waiting = (): number => 0
  let stopTimer!: () => void
  const watch = (): void => {
    stopTimer = systemClock.setTimer(() => {
      // What has not been made yet, nobody can have read.
      if (!made) watch()
      else if (waiting() === made) void done()
    }, patience)
  }
  watch()
  const end = (): Promise<unknown> => {
    stopTimer()
    return done()
  }
  // Pulled by hand: while the cancel of a TransformStream is under way, its input runs on unchecked.
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull: async (controller) => {
      waiting = () => readAhead - controller.desiredSize!
      const { value } = await reader.read().catch(async (error: unknown) => {
        await end()
        throw error
      })
      if (value) {
        made += value.byteLength
        controller.enqueue(value)
      } else {
        await end()
        controller.close()
      }
    },
    cancel: async (reason) => {
      await Promise.all([reader.cancel(reason), end()])
    },
  }
  const size = (chunk: Uint8Array): number => chunk.byteLength
  const stream = new ReadableStream(source, { highWaterMark: readAhead, size })
  return new Response(stream, response as Response)
}
