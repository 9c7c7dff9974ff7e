import { Agent, request } from 'node:http'

/** The status of the answer, or the code of the error that broke the connection. */
export type Sent = { readonly status?: number; readonly error?: string; readonly time: number }

type Message = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isChunked?: true
}

const agent = new Agent({ keepAlive: true })

/** Sends one request on a pooled connection or, with `isAlone`, on a new one. */
export const send = (
  url: string,
  { headers, body, isChunked }: Message,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): Promise<Sent> =>
  new Promise((resolve) => {
    const start = performance.now()
    const end = (sent: Omit<Sent, 'time'>): void =>
      resolve({ ...sent, time: performance.now() - start })
    const length = isChunked ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
    const options = { method: 'POST', headers: { ...length, ...headers } }
    const sending = request(url, { ...options, agent: isAlone ? false : agent }, (response) => {
      response.resume()
      response.once('end', () => end({ status: response.statusCode! }))
      response.once('error', (error: NodeJS.ErrnoException) => end({ error: error.code ?? '' }))
    })
    sending.once('error', (error: NodeJS.ErrnoException) => end({ error: error.code ?? '' }))
    for (let at = 0; at < body.length; at += 65_536) sending.write(body.slice(at, at + 65_536))
    sending.end()
  })
