import { onAbort } from '../util/clock.ts'

/**
 * The data of the server-sent events of a stream, one after the other. It ends with the stream, or when the
 * signal aborts: the `fetch` of a node may pass on no signal.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html}
 */
export const eventsOf = async function* (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  const cancel = (): void => void reader.cancel().catch(() => {})
  const stopListening = onAbort(signal, cancel)
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r/)
      rest = lines.pop()!.slice(-maxLine)
      for (const line of lines) {
        const [, data] = /^data: ?(.*)$/.exec(line) ?? []
        if (data !== undefined) yield data
      }
    }
  } finally {
    stopListening()
    cancel()
  }
}

// Characters of a line that are kept until it ends. Those that matter here are short.
const maxLine = 1024
