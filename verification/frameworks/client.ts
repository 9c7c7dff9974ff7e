import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { text } from 'node:stream/consumers'

/** What a client receives; status 0 for a response that broke off. */
type Received = {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Leaves at this moment. */
  readonly leave?: Promise<unknown>
  /** Leaves the body open. */
  readonly isOpen?: boolean
}

export type Client = {
  readonly send: (sent?: Sent) => Promise<Received>
  readonly close: () => void
}

const broken: Received = { status: 0, body: '', headers: {} }

/** A client of HTTP/1.1 with one connection, which it keeps. */
const overHttp1 = (port: number): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Client['send'] = ({ method = 'POST', headers = {}, body = '', leave, isOpen } = {}) =>
    new Promise((resolve) => {
      const give = (): void => resolve(broken)
      const sent = request({ port, host: '127.0.0.1', method, headers, agent }, (response) => {
        const { statusCode: status = 0, headers } = response
        text(response).then((body) => resolve({ status, body, headers }), give)
      })
      sent.on('error', give)
      void leave?.then(() => sent.destroy())
      if (!isOpen) return sent.end(body || undefined)
      sent.write(body)
      return sent
    })
  return { send, close: () => agent.destroy() }
}

const overHttp2 = (port: number): Client => {
  let session: ClientHttp2Session | undefined
  const send: Client['send'] = ({ method = 'POST', headers = {}, body = '', leave, isOpen } = {}) =>
    new Promise((resolve) => {
      session ??= connect(`http://127.0.0.1:${port}`).on('error', () => {})
      const give = (): void => resolve(broken)
      session.once('close', () => {
        session = undefined
        give()
      })
      const sent = session.request({ ':method': method, ':path': '/', ...headers })
      sent.on('error', give)
      sent.on('response', ({ ':status': status = 0, ...headers }) => {
        const received = text(sent)
        // A stream that was reset ends as well.
        received.then((body) => resolve(sent.rstCode ? broken : { status, body, headers }), give)
      })
      sent.on('close', give)
      // To cancel the stream would end the body before.
      void leave?.then(() => session?.destroy())
      if (method === 'HEAD') return
      // In two parts, so that no frame says that the first is all.
      sent.write(body.slice(0, 3))
      if (!isOpen) setTimeout(() => !sent.destroyed && sent.end(body.slice(3)), body ? 5 : 0)
    })
  return { send, close: () => session?.destroy() }
}

export const clientOf = (protocol: 1 | 2, port: number): Client =>
  protocol === 1 ? overHttp1(port) : overHttp2(port)
