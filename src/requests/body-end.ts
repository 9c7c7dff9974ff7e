import type { Lock } from '../core/lock/lock.ts'
import { concat } from '../util/bytes.ts'
import { minReadTimeout } from '../core/retry/times.ts'
import { sleep, systemClock } from '../util/clock.ts'
import type { RequestScope } from './request-scope.ts'
import { coded } from '../util/codes.ts'

// The number of bytes to buffer before the body is read. A body that fits in the buffer ends even if it is never read:
// the client can disconnect, and later middleware can replace the response.
const bufferSize = 65_536

// The number of bytes to read ahead; a larger first chunk is read in full. An in-memory body arrives as a single chunk
// on Node, and in 4 KB chunks on workerd.
const maxReadAhead = 262_144

/** The size of a chunk in bytes or characters, or 1 for a chunk of another type. */
const sizeOf = (chunk: unknown): number => {
  const { byteLength, length } = Object(chunk) as { byteLength?: number; length?: number }
  return byteLength ?? length ?? 1
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

/** The part of a body that was available before the next task of the event loop. */
type ReadAhead = {
  /** The reads so far. The last read may still be pending. */
  readonly reads: ReturnType<Reader['read']>[]
  /** The whole content, if the body has ended. */
  readonly content?: Uint8Array<ArrayBuffer>
}

/**
 * Reads the part of a body that is available before the next task of the event loop. An in-memory body ends by then,
 * so its length is known. A body that waits for I/O does not delay the response.
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
      // A failed read is reported later, when the stream consumes `reads`.
      const result = await Promise.race([read, nextTask]).catch(() => {})
      if (result?.done) {
        // Copy the chunk, because it may be in shared memory.
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

/** Cancels a body and waits up to `patience` ms for its source to clean up. */
const cancelBody = (reader: Reader, patience: number, reason?: unknown): Promise<void> =>
  sleep(systemClock, patience, undefined, (wake) => {
    reader.cancel(reason).then(wake, wake)
  })

/**
 * Streams a body, starting with the part that was read ahead, and calls `done` before the stream ends. A body larger
 * than the buffer is canceled if reading does not start within `readTimeout` ms. That timer restarts as long as the
 * source has produced nothing and the lock is held.
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
    // The lock stays held while a canceled source cleans up.
    await cancelBody(reader, readTimeout, reason)
    await end()
  }
  // Not a TransformStream: it would keep pulling its input while a cancel is pending.
  const source: UnderlyingDefaultSource<unknown> = {
    pull: async (given) => {
      controller = given
      try {
        const { done: isOver, value } = await (reads.shift() ?? reader.read())
        // After a cancel, a pending read ends before the source has cleaned up: `cancel` calls `end` later.
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
  // The timer holds a reference to the stream: if workerd garbage-collects a stream, its body appears empty.
  // oxlint-disable-next-line oxc/only-used-in-recursion -- the timer refers to it
  const watch = (stream: ReadableStream): void => {
    cancelTimer = systemClock.setTimer(() => {
      if (sent > bufferSize - controller.desiredSize!) return
      if (sent > 0) {
        const error = new Error(coded('ERL25', 'The body was not read in time'))
        controller.error(error)
        void cancel(error)
        // The source has produced nothing yet: check again later.
      } else if (lock.held) watch(stream)
    }, readTimeout)
  }
  const stream = new ReadableStream(source, { highWaterMark: bufferSize, size: sizeOf })
  watch(stream)
  return stream
}

/**
 * Calls `done` when the response body ends, fails or is canceled by the client; without a body, immediately. An
 * in-memory body is sent unchanged, with its length. A body larger than the buffer is canceled as abandoned if reading
 * does not start in time. The limit is the remaining time of the lock, but at least 1 s.
 *
 * The end of the body is sent only after `done` has resolved, so a runtime that freezes after the response cannot
 * interrupt `done`. `done` must not reject, and can be called more than once.
 *
 * @returns the response to send in place of `response`.
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
  // A response with `transfer-encoding` must not have a `content-length`.
  const mayHaveLength = !headers.has('transfer-encoding')
  const { reads, content }: ReadAhead = mayHaveLength ? await readAhead(reader) : { reads: [] }
  if (content) {
    await done()
    // With bytes instead of a stream, the runtime can set `content-length`.
    return copy(content)
  }
  // Servers discard the body of a HEAD response without reading it, so stop its source here.
  if (scope.request.method === 'HEAD') {
    await cancelBody(reader, readTimeout)
    await done()
    return copy(null)
  }
  return copy(watchedStream(reader, reads, lock, readTimeout, done))
}
