import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A server whose responses a Worker passes on. */
export type Origin = {
  readonly url: string
  /** The number of responses whose connection was closed before they had ended. */
  readonly aborted: () => number
  readonly close: () => void
}

const write = async (response: ServerResponse, text: string, pieces = 4): Promise<void> => {
  const size = Math.ceil(text.length / pieces)
  for (let from = 0; from < text.length && !response.destroyed; from += size) {
    response.write(text.slice(from, from + size))
    // Longer than a Worker reads ahead.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const text = '.'.repeat(400_000)

const bodies: Readonly<Record<string, (response: ServerResponse) => Promise<unknown>>> = {
  '/whole': async (response) => {
    response.writeHead(200, { 'content-length': text.length })
    await write(response, text)
    response.end()
  },
  '/range': async (response) => {
    const headers = { 'content-length': 300_000, 'content-range': 'bytes 0-299999/400000' }
    response.writeHead(206, headers)
    await write(response, text.slice(0, 300_000))
    response.end()
  },
  '/chunked': async (response) => {
    response.writeHead(200)
    await write(response, text)
    response.end()
  },
  '/gzip': async (response) => {
    const zipped = gzipSync(text)
    response.writeHead(200, { 'content-length': zipped.length, 'content-encoding': 'gzip' })
    response.end(zipped)
  },
  '/truncated': async (response) => {
    response.writeHead(200, { 'content-length': text.length })
    await write(response, text.slice(0, 200_000))
    response.destroy()
  },
  '/paused': async (response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('.'.repeat(10))
    await new Promise((resolve) => setTimeout(resolve, 2500))
    response.end('.'.repeat(90))
  },
  '/endless': async (response) => {
    response.writeHead(200, { 'content-length': 1e12 })
    await write(response, text.repeat(100), 2000)
  },
}

/** Starts the server. */
export const startOrigin = async (): Promise<Origin> => {
  let aborted = 0
  const server: Server = createServer((request, response) => {
    response.on('close', () => (aborted += response.writableFinished ? 0 : 1))
    void bodies[request.url!]!(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    aborted: () => aborted,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
