import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { text } from 'node:stream/consumers'

/** The response that a client receives; status 0 if it was cut off. */
type Received = {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The moment at which the client disconnects. */
  readonly leave?: Promise<unknown>
  /** Leaves the body open. */
  readonly isOpen?: boolean
  /** Sends the body once the server has asked for it with 100. */
  readonly awaitsContinue?: boolean
}

export type Client = {
  readonly send: (sent?: Sent) => Promise<Received>
  readonly close: () => void
}

const broken: Received = { status: 0, body: '', headers: {} }

const headersOf = ({ headers = {}, awaitsContinue }: Sent): Sent['headers'] =>
  awaitsContinue ? { ...headers, expect: '100-continue' } : headers

/** An HTTP/1.1 client with one persistent connection. */
const overHttp1 = (port: number): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Client['send'] = ({ method = 'POST', body = '', leave, isOpen, ...sending } = {}) =>
    new Promise((resolve) => {
      const give = (): void => resolve(broken)
      const headers = headersOf(sending)
      const sent = request({ port, host: '127.0.0.1', method, headers, agent }, (response) => {
        const { statusCode: status = 0, headers } = response
        text(response).then((body) => resolve({ status, body, headers }), give)
      })
      sent.on('error', give)
      void leave?.then(() => sent.destroy())
      if (sending.awaitsContinue) return sent.once('continue', () => sent.end(body)).flushHeaders()
      if (!isOpen) return sent.end(body || undefined)
      sent.write(body)
      return sent
    })
  return { send, close: () => agent.destroy() }
}

const overHttp2 = (port: number): Client => {
  let session: ClientHttp2Session | undefined
  const send: Client['send'] = ({ method = 'POST', body = '', leave, isOpen, ...sending } = {}) =>
    new Promise((resolve) => {
      session ??= connect(`http://127.0.0.1:${port}`).on('error', () => {})
      const give = (): void => resolve(broken)
      session.once('close', () => {
        session = undefined
        give()
      })
      const sent = session.request({ ':method': method, ':path': '/', ...headersOf(sending) })
      sent.on('error', give)
      sent.on('response', ({ ':status': status = 0, ...headers }) => {
        const received = text(sent)
        // A stream that was reset ends as well.
        received.then((body) => resolve(sent.rstCode ? broken : { status, body, headers }), give)
      })
      sent.on('close', give)
      // Canceling the stream would first end the body.
      void leave?.then(() => session?.destroy())
      if (method === 'HEAD') return
      if (sending.awaitsContinue) {
        sent.once('continue', () => sent.end(body))
        return
      }
      // In two parts, so that no frame marks the first as the end.
      sent.write(body.slice(0, 3))
      if (!isOpen) setTimeout(() => !sent.destroyed && sent.end(body.slice(3)), body ? 5 : 0)
    })
  return { send, close: () => session?.destroy() }
}

export const clientOf = (protocol: 1 | 2, port: number): Client =>
  protocol === 1 ? overHttp1(port) : overHttp2(port)

/** An HTTP/1.1 connection whose bytes the test writes, and the bytes received. */
export type RawConnection = {
  readonly write: (...requests: readonly Sent[]) => void
  readonly received: () => string
  readonly statuses: () => number[]
  readonly isClosed: () => boolean
  readonly close: () => void
}

const bytesOf = ({ headers = {}, body = '' }: Sent): string => {
  const all = { host: 'localhost', 'content-length': `${body.length}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST / HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

export const openRaw = (port: number): RawConnection => {
  let received = ''
  const socket = connectSocket(port, '127.0.0.1')
    .on('data', (bytes) => (received += String(bytes)))
    .on('error', () => {})
  return {
    // In one packet, so that the server reads all of them together.
    write: (...requests) => void socket.write(requests.map(bytesOf).join('')),
    received: () => received,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    isClosed: () => socket.closed,
    close: () => void socket.destroy(),
  }
}
