import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Trick } from './raw-server.ts'

/** Writes for as long as somebody listens, and lets the client, which is in this process, have its turn. */
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
export const honest: Trick = (socket, { right }) => socket.write(sized(right))

/** Ways to break HTTP, or to keep a client busy. None of them is an answer. */
export const tricks = (elsewhere: string): Readonly<Record<string, Trick>> => ({
  'hangs up': (socket) => socket.destroy(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'says nothing': () => {},
  'speaks no HTTP': (socket) => socket.end('+OK\r\n-ERR\r\n\0'),
  'cuts a body that is declared longer': (socket, { right }) =>
    socket.end(sized(right, right.length + 5)),
  'declares a body longer than it is, and waits': (socket, { right }) =>
    socket.write(sized(right, right.length + 5)),
  'declares a body shorter than it is': (socket, { right }) =>
    socket.end(sized(right, right.length - 5)),
  'declares two lengths': (socket, { right }) =>
    socket.end(http(`200 OK\r\ncontent-length: 5\r\ncontent-length: ${right.length}`, right)),
  'declares a length that is none': (socket, { right }) =>
    socket.end(http('200 OK\r\ncontent-length: many', right)),
  'sends no end of chunks': (socket, { right }) => socket.write(http(chunked, chunk(right))),
  'cuts its chunks': (socket, { right }) => socket.end(http(chunked, chunk(right).slice(0, -9))),
  'sends a chunk of a size that is none': (socket, { right }) =>
    socket.end(http(chunked, `xyz\r\n${right}\r\n0\r\n\r\n`)),
  'floods with headers': (socket, { right }) =>
    socket.end(
      http(
        `200 OK\r\ncontent-length: ${right.length}\r\n${'x-flood: yes\r\n'.repeat(5_000)}x: y`,
        right,
      ),
    ),
  'sends headers without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    return endless(socket, `x-flood: ${'y'.repeat(1_000)}\r\n`)
  },
  'sends a body without end': (socket, { right }) => {
    socket.write(http('200 OK\r\nconnection: close', right))
    return endless(socket, spaces)
  },
  'sends chunks without end': (socket, { right }) => {
    socket.write(http(chunked, chunk(right)))
    return endless(socket, chunk(spaces))
  },
  'declares a huge body, and sends it': (socket, { right }) => {
    socket.write(sized(right, 2 ** 40))
    return endless(socket, spaces)
  },
  'sends a bomb of gzip': (socket, { right }) => {
    // What follows another in gzip belongs to it.
    const all = Buffer.concat([gzipSync(right), bomb])
    socket.write(http(`200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${all.length}`, ''))
    socket.end(all)
  },
  'sends gzip that is none': (socket, { right }) =>
    socket.end(http(`200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${right.length}`, right)),
  redirects: (socket) =>
    socket.end(http(`307 Moved\r\nlocation: ${elsewhere}\r\ncontent-length: 0`, '')),
  'redirects, and grants': (socket, { right }) =>
    socket.end(
      http(`308 Moved\r\nlocation: ${elsewhere}\r\ncontent-length: ${right.length}`, right),
    ),
  refreshes: (socket) =>
    socket.end(http(`200 OK\r\nrefresh: 0; url=${elsewhere}\r\ncontent-length: 0`, '')),
  'asks for other credentials': (socket) =>
    socket.end(http('401 No\r\nwww-authenticate: Basic realm="x"\r\ncontent-length: 0', '')),
  'only goes on': (socket) => endless(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'switches protocols': (socket) =>
    socket.write(http('101 Switching\r\nupgrade: h2c\r\nconnection: upgrade', '')),
  drips: (socket, { right }) => drip(socket, sized(right), 30),
  'drips its head': (socket, { right }) => drip(socket, http(`200 OK\r\nx: y`, right), 30),
  'is no UTF-8': (socket, { right }) =>
    socket.end(Buffer.from(sized(right).replace('granted', 'gr\xe4nted'), 'latin1')),
  'answers before what it answers': (socket, { right }) => socket.write(sized('{}') + sized(right)),
})
