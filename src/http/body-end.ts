import { sleep, systemClock } from '../util/clock.ts'

// What is made in advance of the reader: so a short body ends even if nobody reads it, as when the
// client has gone or another response was put in its place.
const readAhead = 65_536

// Ms in which whatever reads the body has surely begun, even where the lock is short.
const leastPatience = 1000

/** What holds until the body has ended. */
type Held = { readonly held: boolean; readonly expiresIn: number }

/**
 * Calls back when nothing more of the response will be made: when its body has ended, was cancelled
 * by the client or failed; at once where there is no body to wait for. A long one that nobody has
 * begun to read within the life of the lock is taken as dropped: it is cancelled then.
 *
 * What `done` returns is awaited before the end of the body goes out, so that work can be finished
 * where the runtime freezes after the response. It must not reject, and may be called again.
 *
 * @returns the response to send in place of the given one.
 */
export const afterBody = async <T>(
  request: Request | undefined,
  response: T,
  lock: Held,
  done: () => Promise<unknown>,
): Promise<T | Response> => {
  const { body, status } = Object(response) as Response
  // The body of an answer to HEAD is dropped unread, a 101 cannot be made anew, and what is no
  // response has no body to wait for.
  const isStream = typeof body?.getReader === 'function'
  if (!isStream || request?.method === 'HEAD' || status === 101) {
    await done()
    return response
  }
  const reader = body.getReader()
  const patience = Math.max(leastPatience, lock.expiresIn)
  let made = 0
  let stopTimer!: () => void
  const end = (): Promise<unknown> => {
    stopTimer()
    return done()
  }
  let isStopping = false
  const stop = async (reason: unknown): Promise<void> => {
    isStopping = true
    // What the source does when it is cancelled belongs to it, but not for ever.
    await sleep(systemClock, patience, undefined, (wake) => {
      reader.cancel(reason).then(wake, wake)
    })
    await end()
  }
  // Pulled by hand: while the cancel of a TransformStream is under way, its input runs on unchecked.
  const source: UnderlyingDefaultSource<unknown> = {
    start: (controller) => {
      const watch = (): void => {
        stopTimer = systemClock.setTimer(() => {
          const waiting = readAhead - controller.desiredSize!
          if (made && waiting === made) {
            const error = new Error('Nobody began to read the body while its lock lived')
            controller.error(error)
            void stop(error)
            // What has not been made yet, nobody can have read.
          } else if (!made && lock.held) watch()
        }, patience)
      }
      watch()
    },
    pull: async (controller) => {
      try {
        const { done: isOver, value } = await reader.read()
        // The cancel ends what is under way here, before it has ended itself.
        if (isStopping) return
        if (isOver) {
          await end()
          controller.close()
        } else {
          made += sizeOf(value)
          controller.enqueue(value)
        }
      } catch (error) {
        if (!isStopping) await end()
        throw error
      }
    },
    cancel: stop,
  }
  const stream = new ReadableStream(source, { highWaterMark: readAhead, size: sizeOf })
  return new Response(stream as ReadableStream<Uint8Array>, response as Response)
}

/** The size of a chunk: bytes, or what else a server may take. */
const sizeOf = (chunk: unknown): number => {
  const { byteLength, length } = Object(chunk) as { byteLength?: number; length?: number }
  return byteLength ?? length ?? 1
}
