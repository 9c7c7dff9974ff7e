import type { LockNode } from '../../../src/index.ts'
import { restServers } from '../../../src/nodes/rest-node.ts'
import type { Push } from './recording.ts'
import type { Server } from './servers.ts'

/** The way between a client and a server, for a stream. */
export type StreamWay = {
  /** Takes the request to the server, where `open` begins the stream, and the response back. */
  readonly subscribe: (signal: AbortSignal, open: () => Response) => Promise<Response>
  /** Takes a message of the server to the client, which runs `arrive`. */
  readonly push: (push: Push, arrive: () => void) => void
  /** Runs a callback when news of an end has made its way. */
  readonly later: (happen: () => void) => void
  /** Runs a callback in the process of the client. */
  readonly run: (happen: () => void) => void
}

const event = (data: string): Uint8Array => new TextEncoder().encode(`data: ${data}\n\n`)

/** The response to a subscription: server-sent events, the first of which confirms it. */
const openStream = (
  { waiters }: Server,
  channel: string,
  signal: AbortSignal,
  { push, later, run }: StreamWay,
): Response => {
  const id = channel.split(':').at(-1)!
  let isOpen = true
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const whileOpen = (happen: () => void) => (): void => {
        if (isOpen) happen()
      }
      const close = (happen: () => void) =>
        whileOpen(() => {
          isOpen = false
          happen()
        })
      controller.enqueue(event(`subscribe,${channel},1`))
      signal.addEventListener('abort', () => {
        close(() => controller.error(signal.reason))()
        later(() => waiters.unsubscribe(id))
      })
      waiters.subscribe(id, {
        send: (text) =>
          push(
            text,
            whileOpen(() => controller.enqueue(event(`message,${channel},${text}`))),
          ),
        end: () => later(() => run(close(() => controller.close()))),
      })
    },
  })
  const headers = new Headers({ 'content-type': 'text/event-stream' })
  return { status: 200, headers, body } as Response
}

/** Lets the library subscribe to channels of a server, as it does with those that it reaches by REST. */
export const addStreams = (node: LockNode, server: Server, way: StreamWay): void => {
  const request = (url: unknown, { signal }: RequestInit): Promise<Response> => {
    const channel = decodeURIComponent(String(url).split('/').at(-1)!)
    return way.subscribe(signal!, () => openStream(server, channel, signal!, way))
  }
  restServers.set(node, { address: '', headers: {}, request: request as typeof fetch })
}
