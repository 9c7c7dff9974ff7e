import type { Lock } from '../core/lock/lock.ts'
import { concat } from '../util/bytes.ts'
import { minReadTimeout } from '../core/retry/times.ts'
import { sleep, systemClock } from '../util/clock.ts'
import type { RequestScope } from './request-scope.ts'
import { coded } from '../util/codes.ts'

// Bytes that are buffered before the body is read. A body that fits ends even if it is never read, for example because
// the client has disconnected or later middleware has replaced the response.
const bufferSize = 65_536

// Bytes that are read ahead, unless the first chunk has more. A body in memory is a single chunk on Node, and comes in
// chunks of 4 KB on workerd.
const maxReadAhead = 262_144

/** The size of a chunk: its bytes or characters, or 1 for a chunk of another type. */
const sizeOf = (chunk: unknown): number => {
  const { byteLength, length } = Object(chunk) as { byteLength?: number; length?: number }
  return byteLength ?? length ?? 1
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** The part of a body that was available before the next task. */
type ReadAhead = {
  /** The reads so far. The last one may be pending. */
  readonly reads: ReturnType<Reader['read']>[]
  /** The whole content, if the body has ended. */
  readonly content?: Uint8Array<ArrayBuffer>
}

/**
 * Reads the part of a body that is available before the next task. A body in memory ends by then, so its length is
 * known. A body that waits for something does not delay the response.
 */
const readAhead = async (reader: Reader): Promise<ReadAhead> => {
  const reads: ReturnType<Reader['read']>[] = []
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  let cancelTimer!: () => void
  const nextTask = new Promise<undefined>((resolve) => {
    cancelTimer = systemClock.setTimer(() => resolve(undefined), 0)
  })
  try {
    while (chunks.length < 2 || size < maxReadAhead) {
      const read = reader.read()
      reads.push(read)
      // The error is thrown later, when the result is read.
      const result = await Promise.race([read, nextTask]).catch(() => {})
      if (result?.done) {
        // A copy, since the chunk may be in shared memory.
        return { reads, content: chunks.length === 1 ? chunks[0]!.slice() : concat(chunks) }
      }
      const chunk: unknown = result?.value
      if (!(chunk instanceof Uint8Array)) break
      chunks.push(chunk as Uint8Array<ArrayBuffer>)
      size += chunk.length
    }
    return { reads }
  } finally {
    cancelTimer()
  }
}

/** Cancels a body, and gives its source `patience` ms to clean up. */
const cancelBody = (reader: Reader, patience: number, reason?: unknown): Promise<void> =>
  sleep(systemClock, patience, undefined, (wake) => {
    reader.cancel(reason).then(wake, wake)
  })

/**
 * Sends the part that was read ahead and the rest of a body, and calls `done` before the end. A body larger than the
 * buffer is canceled if no one begins to read it within `readTimeout` ms. While its source has produced nothing, that
 * time restarts for as long as the lock is held.
 */
const watchedStream = (
  reader: Reader,
  reads: ReadAhead['reads'],
  lock: Pick<Lock, 'held'>,
  readTimeout: number,
  done: () => Promise<unknown>,
): ReadableStream => {
  let cancelTimer: (() => void) | undefined
  let isCancelled = false
  let sent = 0
  let controller!: ReadableStreamDefaultController<unknown>
  const end = (): Promise<unknown> => {
    cancelTimer?.()
    return done()
  }
  const cancel = async (reason?: unknown): Promise<void> => {
    isCancelled = true
    // The lock also covers the clean-up of a canceled source.
    await cancelBody(reader, readTimeout, reason)
    await end()
  }
  // A TransformStream would still pull its input while its cancel is pending.
  const source: UnderlyingDefaultSource<unknown> = {
    pull: async (given) => {
      controller = given
      try {
        const { done: isOver, value } = await (reads.shift() ?? reader.read())
        // A cancel ends a pending read before the source has cleaned up.
        if (isCancelled) return
        if (isOver) {
          await end()
          given.close()
        } else {
          sent += sizeOf(value)
          given.enqueue(value)
        }
      } catch (error) {
        await end()
        throw error
      }
    },
    cancel,
  }
  // Keeps the stream as long as its timer: a stream that workerd has collected as garbage appears to be empty.
  // oxlint-disable-next-line oxc/only-used-in-recursion -- the timer refers to it
  const watch = (stream: ReadableStream): void => {
    cancelTimer = systemClock.setTimer(() => {
      if (sent > bufferSize - controller.desiredSize!) return
      if (sent > 0) {
        const error = new Error(coded('ERL25', 'The body was not read in time'))
        controller.error(error)
        void cancel(error)
        // There has been nothing to read yet: check again later.
      } else if (lock.held) watch(stream)
    }, readTimeout)
  }
  const stream = new ReadableStream(source, { highWaterMark: bufferSize, size: sizeOf })
  watch(stream)
  return stream
}

/**
 * Calls `done` when no more of the response will be produced: its body has ended, has failed or was canceled by the
 * client. Without a body, it calls `done` immediately. A body in memory is sent unchanged, with its length. A body larger
 * than the buffer is canceled as abandoned if no one begins to read it in time. That is the time that the lock had left
 * when the body began, but at least 1 s.
 *
 * The end of the body is sent only after `done` has resolved. So a runtime that freezes after the response does not
 * interrupt it. `done` must not reject, and may be called more than once.
 *
 * @returns the response to send instead of the given one.
 */
export const onBodyEnd = async (
  scope: Pick<RequestScope<never>, 'request'>,
  response: Response,
  lock: Pick<Lock, 'held' | 'expiresIn'>,
  done: () => Promise<unknown>,
): Promise<Response> => {
  const { body, headers } = response
  if (!body) {
    await done()
    return response
  }
  const copy = (content: BodyInit | null): Response => new Response(content, response)
  const reader = body.getReader()
  const readTimeout = Math.max(minReadTimeout, lock.expiresIn)
  // A response with `transfer-encoding` must not get a length.
  const mayHaveLength = !headers.has('transfer-encoding')
  const { reads, content }: ReadAhead = mayHaveLength ? await readAhead(reader) : { reads: [] }
  if (content) {
    await done()
    // Bytes instead of a stream, so that the runtime has the length.
    return copy(content)
  }
  // Servers drop the body of a response to HEAD unread, so its source has to stop.
  if (scope.request.method === 'HEAD') {
    await cancelBody(reader, readTimeout)
    await done()
    return copy(null)
  }
  return copy(watchedStream(reader, reads, lock, readTimeout, done))
}
