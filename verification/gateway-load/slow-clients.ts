import { connect, type Socket } from 'node:net'

// Clients that open a connection and never finish a request. They differ in what they send immediately and what they
// send afterwards, byte by byte.

export type SlowKind = 'drips a body' | 'drips headers' | 'says nothing' | 'vanishes'
export const slowKinds: readonly SlowKind[] = [
  'drips a body',
  'drips headers',
  'says nothing',
  'vanishes',
]

/** How the server ended the connection of a slow client, and after how many ms. */
export type SlowEnd = { readonly kind: SlowKind; readonly said: string; readonly after: number }

const dripEvery = 100
const start = 'POST / HTTP/1.1\r\nhost: gateway\r\n'
// A command that no other client sends. It has the correct token and must not run.
const command = '["SETNX","slow","x"'

const accepted = 'HTTP/1.1 100 Continue\r\n\r\n'
const statusIn = (text: string): string =>
  /^HTTP\/1\.1 (\d+)/.exec(text.replace(accepted, ''))?.[1] ?? 'nothing'

/** The beginning of a request whose body follows in pieces. */
const inPieces = (token: string, length: number): string =>
  `${start}authorization: Bearer ${token}\r\ncontent-length: ${length}\r\n\r\n`

/** Sends the bytes of this kind of client; returns the timer of the repeated bytes. */
const startSending = (
  socket: Socket,
  kind: SlowKind,
  token: string,
): NodeJS.Timeout | undefined => {
  let at = 0
  if (kind === 'says nothing') return undefined
  if (kind === 'vanishes') {
    socket.write(inPieces(token, command.length + 1) + command)
    setTimeout(() => socket.resetAndDestroy(), dripEvery)
    return undefined
  }
  socket.write(kind === 'drips a body' ? inPieces(token, 1_000) : start)
  return setInterval(
    () => socket.write(kind === 'drips a body' ? (command[at++] ?? ' ') : `x-${at++}: 1\r\n`),
    dripEvery,
  )
}

/** Runs one slow client until its connection has ended. */
export const slowClient = (port: number, token: string, kind: SlowKind): Promise<SlowEnd> =>
  new Promise((resolve) => {
    const begin = performance.now()
    let text = ''
    const socket = connect(port, '127.0.0.1')
    const dripping = startSending(socket, kind, token)
    socket.on('data', (data) => (text += data.toString()))
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(dripping)
      resolve({ kind, said: statusIn(text), after: performance.now() - begin })
    })
  })

/** A slow client that finishes its request. */
export type SlowInTime = {
  /** Resolves when the server has read the headers, or has closed the connection. */
  readonly accepted: Promise<unknown>
  /** The status of the answer. */
  readonly status: Promise<string>
}

/** Sends a body byte by byte, once the server has accepted the request. */
export const slowButInTime = (
  port: number,
  token: string,
  body: string,
  pause: number = dripEvery,
): SlowInTime => {
  let [at, text] = [0, '']
  let dripping: NodeJS.Timeout | undefined
  const socket = connect(port, '127.0.0.1')
  const more = '\r\nconnection: close\r\nexpect: 100-continue\r\n\r\n'
  socket.write(inPieces(token, body.length).replace('\r\n\r\n', more))
  const status = new Promise<string>((resolve) => {
    socket.once('close', () => {
      clearInterval(dripping)
      resolve(statusIn(text))
    })
  })
  const drip = (): void => {
    if (at < body.length) socket.write(body[at++]!)
  }
  const isAccepted = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      text += data.toString()
      if (dripping || !text.startsWith(accepted)) return
      dripping = setInterval(drip, pause)
      resolve()
    })
  })
  socket.on('error', () => {})
  return { accepted: Promise.race([isAccepted, status]), status }
}
