/** A stream of server-sent events, with one reader. */
export type EventStream = {
  readonly body: ReadableStream<Uint8Array>
  /** Sends one event. Its data must be a single line. */
  readonly send: (data: string) => void
  /** Ends the stream after the waiting events. */
  readonly close: () => void
}

// In bytes. If more wait, the stream of a slow reader is broken off. The default of Redis is the same.
const maxWaiting = 8 * 1_048_576

// In ms. Proxies close silent connections after a minute, and the `fetch` of Node after five. The heartbeat also lets
// the server notice a client that has disappeared.
const heartbeatInterval = 15_000

/**
 * Creates a stream of server-sent events that sends a comment every 15 s. The reader may read more slowly than events
 * arrive. Once 8 MiB wait, the stream is broken off.
 *
 * @param onEnd - Called once, after the reader has disconnected, or the stream was closed or broken off.
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
    // The new message does not count toward the limit, so a message of any length reaches a reader that keeps up.
    if (controller.desiredSize! > 0) return controller.enqueue(encoder.encode(text))
    // Frees the waiting events, and lets the reader notice that events are missing.
    controller.error(new Error('A client reads its events too slowly: 8 MiB wait'))
    end()
  }
  const heartbeat = setInterval(() => write(':\n\n'), heartbeatInterval)
  const body = new ReadableStream<Uint8Array>(
    { start: (created) => void (controller = created), cancel: end },
    new ByteLengthQueuingStrategy({ highWaterMark: maxWaiting }),
  )
  return { body, send: (data) => write(`data: ${data}\n\n`), close }
}
