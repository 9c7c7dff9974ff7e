import type { Lock } from '../lock/lock.ts'
import { concat } from '../util/bytes.ts'
import { sleep, systemClock } from '../util/clock.ts'
import type { RequestScope } from './request-scope.ts'

// Bytes that are buffered before anybody reads them. A body that fits ends even if nobody reads it,
// as after the client disconnected or a later middleware replaced the response.
const bufferSize = 65_536

// Bytes that are read ahead, unless the first chunk has more. A body in memory is in one chunk on Node,
// and comes in chunks of 4 KB on workerd.
const maxReadAhead = 262_144

// Ms. Even where the lock is short, a body that will be read has its first read by then.
const minReadTimeout = 1000

/** The size of a chunk: its bytes or characters, or 1 for a chunk of another type. */
const sizeOf = (chunk: unknown): number => {
  const { byteLength, length } = Object(chunk) as { byteLength?: number; length?: number }
  return byteLength ?? length ?? 1
}

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
  let cancelTimer!: () => void
  const end = (): Promise<unknown> => {
    cancelTimer()
    return done()
  }
  let isCancelled = false
  const cancel = async (reason?: unknown): Promise<void> => {
    isCancelled = true
    // The lock covers the clean-up of a cancelled source as well.
    await sleep(systemClock, readTimeout, undefined, (wake) => {
      reader.cancel(reason).then(wake, wake)
    })
    await end()
  }

  // What the body has available before the next task. A body in memory ends by then, so that its length is
  // known; one that waits for something does not delay the response.
  const reads: ReturnType<typeof reader.read>[] = []
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const nextTask = new Promise<undefined>((resolve) => {
    cancelTimer = systemClock.setTimer(() => resolve(undefined), 0)
  })
  // A response that announces chunks must not get a length.
  let mayHaveLength = !headers.has('transfer-encoding')
  while (mayHaveLength && (chunks.length < 2 || size < maxReadAhead)) {
    const read = reader.read()
    reads.push(read)
    // An error is thrown when the result is read.
    const result = await Promise.race([read, nextTask]).catch(() => {})
    if (result?.done) {
      await end()
      // Bytes instead of a stream, so that the runtime knows the length; a copy, since they may be in shared memory.
      return copy(chunks.length === 1 ? chunks[0]!.slice() : concat(chunks))
    }
    const chunk: unknown = result?.value
    if (chunk instanceof Uint8Array) {
      chunks.push(chunk as Uint8Array<ArrayBuffer>)
      size += chunk.length
    } else mayHaveLength = false
  }
  cancelTimer()

  // Servers drop the body of a response to HEAD unread, so what produces it has to stop.
  if (scope.request.method === 'HEAD') {
    await cancel()
    return copy(null)
  }
  let sent = 0
  let controller!: ReadableStreamDefaultController<unknown>
  // Not a TransformStream: while its cancel is pending, its input is still pulled.
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
  // Keeps the stream as long as its timer: one that workerd has collected as garbage seems to be empty.
  // oxlint-disable-next-line oxc/only-used-in-recursion -- the timer refers to it
  const watch = (stream: ReadableStream): void => {
    cancelTimer = systemClock.setTimer(() => {
      if (sent > bufferSize - controller.desiredSize!) return
      if (sent > 0) {
        const error = new Error('Nobody read the body in time')
        controller.error(error)
        void cancel(error)
        // Nobody can have read anything yet: check again later.
      } else if (lock.held) watch(stream)
    }, readTimeout)
  }
  const stream = new ReadableStream(source, { highWaterMark: bufferSize, size: sizeOf })
  watch(stream)
  return copy(stream)
}
