/** A stream of server-sent events, with one reader. */
export type EventStream = {
  readonly body: ReadableStream<Uint8Array>
  /** Sends one event. Its data must be a single line. */
  readonly send: (data: string) => void
  /** Ends the stream after the queued events. */
  readonly close: () => void
}

// The maximum size of the queue for a slow reader, in bytes. Redis has the same default.
const maxWaiting = 8 * 1_048_576

// In ms. Proxies close idle connections after a minute, and Node's `fetch` after five. The heartbeat also lets the
// server detect clients that have disappeared.
const heartbeatInterval = 15_000

/**
 * Creates a stream of server-sent events that sends a comment every 15 s. If the reader is slower than the events,
 * they are queued. Once 8 MiB are queued, the stream fails.
 *
 * @param onEnd - Called once, after the reader has disconnected, or after the stream was closed or has failed.
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html}
 */
export const createEventStream = (onEnd: () => void): EventStream => {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array>
  let isOpen = true
  const end = (): void => {
    isOpen = false
    clearInterval(heartbeat)
    onEnd()
  }
  const close = (): void => {
    if (!isOpen) return
    controller.close()
    end()
  }
  const write = (text: string): void => {
    if (!isOpen) return
    // The limit applies to the messages before this one, so a message of any length reaches a reader that keeps up.
    if (controller.desiredSize! > 0) return controller.enqueue(encoder.encode(text))
    // Fail the stream: this frees the queued events, and the reader can detect that events are missing.
    controller.error(new Error('A client reads its events too slowly: 8 MiB are queued'))
    end()
  }
  const heartbeat = setInterval(() => write(':\n\n'), heartbeatInterval)
  const body = new ReadableStream<Uint8Array>(
    { start: (created) => void (controller = created), cancel: end },
    new ByteLengthQueuingStrategy({ highWaterMark: maxWaiting }),
  )
  return { body, send: (data) => write(`data: ${data}\n\n`), close }
}
