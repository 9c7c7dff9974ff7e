import type { Lock } from '../lock/lock.ts'
import { sleep, systemClock } from '../util/clock.ts'
import { readAhead, sizeOf } from './read-ahead.ts'

// Bytes that are buffered before anybody reads them. A body that fits ends even if nobody reads it,
// as after the client disconnected or a later middleware replaced the response.
const bufferSize = 65_536

// Ms. Even where the lock is short, a body that will be read has its first read by then.
const minReadTimeout = 1000

/** Cancels a body, and waits until its source has cleaned up, up to a limit in ms. */
const stopBody = (body: Pick<ReadableStream, 'cancel'>, limit: number, reason?: unknown) =>
  sleep(systemClock, limit, undefined, (wake) => {
    body.cancel(reason).then(wake, wake)
  })

/**
 * Calls `done` when no more of the response will be produced: when its body has ended, failed or was
 * cancelled by the client, or at once if there is no body. A body in memory is sent as it is, with its
 * length. A body larger than the buffer that nobody begins to read while the lock lives is taken as
 * abandoned and cancelled.
 *
 * The end of the body is sent only after `done` has resolved, so that a runtime that freezes after
 * the response does not interrupt it. `done` must not reject, and may be called more than once.
 *
 * @returns the response to send instead of the given one.
 */
export const onBodyEnd = async <T>(
  request: Request | undefined,
  response: T,
  lock: Pick<Lock, 'held' | 'expiresIn'>,
  done: () => Promise<unknown>,
): Promise<T | Response> => {
  const { body, status, headers } = Object(response) as Partial<Response>
  const isStream = typeof body?.getReader === 'function'
  // A 101 response cannot be copied.
  if (!isStream || status === 101) {
    await done()
    return response
  }
  const reader = body.getReader()
  // A response that announces chunks must not get a length.
  const isChunked = headers?.has('transfer-encoding')
  const { bytes, read } = isChunked
    ? { bytes: undefined, read: () => reader.read() }
    : await readAhead(reader)
  if (bytes) {
    await done()
    // Bytes instead of a stream, so that the runtime knows the length.
    return new Response(bytes, response as Response)
  }
  const readTimeout = Math.max(minReadTimeout, lock.expiresIn)
  // Servers drop the body of a response to HEAD unread, so what produces it has to stop.
  if (request?.method === 'HEAD') {
    await stopBody(reader, readTimeout)
    await done()
    return new Response(null, response as Response)
  }
  // Keeps the stream as long as its timer: one that workerd has collected as garbage seems to be empty.
  const sent: { bytes: number; stream?: ReadableStream } = { bytes: 0 }
  let cancelTimer!: () => void
  let controller!: ReadableStreamDefaultController<unknown>
  const end = (): Promise<unknown> => {
    cancelTimer()
    return done()
  }
  let isCancelled = false
  const cancel = async (reason: unknown): Promise<void> => {
    isCancelled = true
    // The lock covers the clean-up of a cancelled source as well.
    await stopBody(reader, readTimeout, reason)
    await end()
  }
  // Not a TransformStream: while its cancel is pending, its input is still pulled.
  const source: UnderlyingDefaultSource<unknown> = {
    start: (given) => {
      controller = given
    },
    pull: async () => {
      try {
        const { done: isOver, value } = await read()
        // A cancel ends a pending read before the source has cleaned up.
        if (isCancelled) return
        if (isOver) {
          await end()
          controller.close()
        } else {
          sent.bytes += sizeOf(value)
          controller.enqueue(value)
        }
      } catch (error) {
        if (!isCancelled) await end()
        throw error
      }
    },
    cancel,
  }
  const watch = (): void => {
    cancelTimer = systemClock.setTimer(() => {
      const taken = sent.bytes - (bufferSize - controller.desiredSize!)
      if (sent.bytes > 0 && taken <= 0) {
        const error = new Error('Nobody began to read the body while its lock lived')
        controller.error(error)
        void cancel(error)
        // Nobody can have read anything yet: check again later.
      } else if (sent.bytes === 0 && lock.held) watch()
    }, readTimeout)
  }
  watch()
  sent.stream = new ReadableStream(source, { highWaterMark: bufferSize, size: sizeOf })
  return new Response(sent.stream as ReadableStream<Uint8Array>, response as Response)
}
