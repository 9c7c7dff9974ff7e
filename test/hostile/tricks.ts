import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Trick } from './raw-server.ts'

/** Writes until the client closes the connection. Pauses, since the client runs in this process too. */
const endless = async (socket: Socket, chunk: string | Buffer): Promise<void> => {
  while (socket.writable) {
    if (socket.writableNeedDrain) await wait(5)
    else socket.write(chunk)
    await wait(1)
  }
}

const drip = async (socket: Socket, text: string, pause: number): Promise<void> => {
  for (const letter of text) {
    if (!socket.writable) return
    socket.write(letter)
    await wait(pause)
  }
}

const http = (head: string, body: string): string => `HTTP/1.1 ${head}\r\n\r\n${body}`
const sized = (body: string, length = Buffer.byteLength(body)): string =>
  http(`200 OK\r\ncontent-length: ${length}`, body)
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const chunked = '200 OK\r\ntransfer-encoding: chunked'
const spaces = ' '.repeat(65_536)
const bomb = gzipSync(Buffer.alloc(2 ** 25, ' '))

/** An honest node. */
export const honest: Trick = (socket, { valid }) => socket.write(sized(valid))

/** Ways to break HTTP or to keep a client busy. None of them is a valid answer. */
export const tricks = (elsewhere: string): Readonly<Record<string, Trick>> => ({
  'hangs up': (socket) => socket.destroy(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'says nothing': () => {},
  'speaks no HTTP': (socket) => socket.end('+OK\r\n-ERR\r\n\0'),
  'cuts a body that is declared longer': (socket, { valid }) =>
    socket.end(sized(valid, valid.length + 5)),
  'declares a body longer than it is, and waits': (socket, { valid }) =>
    socket.write(sized(valid, valid.length + 5)),
  'declares a body shorter than it is': (socket, { valid }) =>
    socket.end(sized(valid, valid.length - 5)),
  'declares two lengths': (socket, { valid }) =>
    socket.end(http(`200 OK\r\ncontent-length: 5\r\ncontent-length: ${valid.length}`, valid)),
  'declares a length that is not a number': (socket, { valid }) =>
    socket.end(http('200 OK\r\ncontent-length: many', valid)),
  'sends no end of chunks': (socket, { valid }) => socket.write(http(chunked, chunk(valid))),
  'cuts its chunks': (socket, { valid }) => socket.end(http(chunked, chunk(valid).slice(0, -9))),
  'sends a chunk whose size is not a number': (socket, { valid }) =>
    socket.end(http(chunked, `xyz\r\n${valid}\r\n0\r\n\r\n`)),
  'floods with headers': (socket, { valid }) =>
    socket.end(
      http(
        `200 OK\r\ncontent-length: ${valid.length}\r\n${'x-flood: yes\r\n'.repeat(5_000)}x: y`,
        valid,
      ),
    ),
  'sends headers without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    return endless(socket, `x-flood: ${'y'.repeat(1_000)}\r\n`)
  },
  'sends a body without end': (socket, { valid }) => {
    socket.write(http('200 OK\r\nconnection: close', valid))
    return endless(socket, spaces)
  },
  'sends chunks without end': (socket, { valid }) => {
    socket.write(http(chunked, chunk(valid)))
    return endless(socket, chunk(spaces))
  },
  'declares a huge body, and sends it': (socket, { valid }) => {
    socket.write(sized(valid, 2 ** 40))
    return endless(socket, spaces)
  },
  'sends a gzip bomb': (socket, { valid }) => {
    // Concatenated gzip members are decompressed as one body.
    const all = Buffer.concat([gzipSync(valid), bomb])
    socket.write(http(`200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${all.length}`, ''))
    socket.end(all)
  },
  'declares gzip, but sends plain text': (socket, { valid }) =>
    socket.end(http(`200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${valid.length}`, valid)),
  redirects: (socket) =>
    socket.end(http(`307 Moved\r\nlocation: ${elsewhere}\r\ncontent-length: 0`, '')),
  'redirects, and grants': (socket, { valid }) =>
    socket.end(
      http(`308 Moved\r\nlocation: ${elsewhere}\r\ncontent-length: ${valid.length}`, valid),
    ),
  refreshes: (socket) =>
    socket.end(http(`200 OK\r\nrefresh: 0; url=${elsewhere}\r\ncontent-length: 0`, '')),
  'asks for other credentials': (socket) =>
    socket.end(http('401 No\r\nwww-authenticate: Basic realm="x"\r\ncontent-length: 0', '')),
  'sends 100 Continue without end': (socket) => endless(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'switches protocols': (socket) =>
    socket.write(http('101 Switching\r\nupgrade: h2c\r\nconnection: upgrade', '')),
  drips: (socket, { valid }) => drip(socket, sized(valid), 30),
  'drips its head': (socket, { valid }) => drip(socket, http(`200 OK\r\nx: y`, valid), 30),
  'sends invalid UTF-8': (socket, { valid }) =>
    socket.end(Buffer.from(sized(valid).replace('granted', 'gr\xe4nted'), 'latin1')),
  'sends another answer before the valid one': (socket, { valid }) =>
    socket.write(sized('{}') + sized(valid)),
})
