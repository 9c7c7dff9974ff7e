/** A stream of server-sent events, with one reader. */
export type EventStream = {
  readonly body: ReadableStream<Uint8Array>
  /** Sends one event. Its data must be a single line. */
  readonly send: (data: string) => void
  /** Ends the stream after the events that wait. */
  readonly close: () => void
}

// In bytes, before the stream of a slow reader is broken off. Redis tolerates as much by default.
const maxWaiting = 8 * 1_048_576

// In ms. Proxies close silent connections after a minute, and `fetch` of Node after five. It also
// makes the server notice that a client has vanished.
const heartbeatInterval = 15_000

/**
 * Creates a stream of server-sent events that sends a comment every 15 s. The reader may read more
 * slowly than events arrive, until 8 MiB wait: then the stream is broken off.
 *
 * @param onEnd - Called once, when the reader has gone, or the stream was closed or broken off.
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
    // Checked before, so that a message of any length reaches a reader that keeps up.
    if (controller.desiredSize! > 0) return controller.enqueue(encoder.encode(text))
    // Frees what waits, and lets the reader notice that events are missing.
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
