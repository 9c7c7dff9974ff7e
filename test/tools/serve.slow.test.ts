import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { serve } from '../../tools/servers/serve.ts'
import { later } from '../support/signals.ts'

const answer = (): Response => new Response('done')

/** Sends a text on a connection of its own. Resolves to everything received when that has ended. */
const receivedFor = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    let back = ''
    const socket = connect(port, '127.0.0.1', () => void socket.write(text))
    socket.on('data', (data) => (back += data.toString()))
    socket.on('error', () => {})
    socket.once('close', () => resolve(back))
  })

/** The status of a GET on a kept connection, or the code of its error. */
const status = (port: number, agent: Agent): Promise<number | string> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code!))
  })

it('answers the requests it has accepted before it closes, and accepts no more', async () => {
  const [arrived, release] = [later(), later()]
  const { port, close } = await serve(async () => {
    arrived.resolve()
    await release.promise
    return answer()
  })
  const underWay = fetch(`http://127.0.0.1:${port}`)
  await arrived.promise
  const closed = close()
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed')
  release.resolve()
  expect((await underWay).status).toBe(200)
  await closed
})

it('closes although a client would keep sending requests on its connection', async () => {
  const { port, close } = await serve(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return answer()
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const seen: (number | string)[] = []
  const client = (async () => {
    do seen.push(await status(port, agent))
    while (seen.at(-1) === 200)
  })()
  await expect.poll(() => seen.length).toBeGreaterThan(2)
  const start = performance.now()
  await close(60_000)
  expect(performance.now() - start).toBeLessThan(4000)
  await client
  expect(seen.slice(0, -1).every((one) => one === 200)).toBe(true)
  expect(seen.at(-1)).toMatch(/^ECONN/)
})

it('closes unfinished connections when the grace period is over', async () => {
  const { port, close } = await serve(async (request) => new Response(await request.text()))
  const silent = receivedFor(port, '')
  const halfWay = receivedFor(port, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nx')
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200)
  await close(50)
  expect([await silent, await halfWay]).toEqual(['', ''])
})

it.each([
  ['sends nothing', ''],
  ['does not end its headers', 'POST / HTTP/1.1\r\nhost: a\r\n'],
  ['does not end its body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nx'],
])('cuts off a client that %s', async (_what, text) => {
  const { port, close } = await serve(async (request) => new Response(await request.text()), {
    headersTimeout: 100,
    requestTimeout: 200,
  })
  expect(await receivedFor(port, text)).toMatch(/^HTTP\/1\.1 408 /)
  await close()
})

it('ends streams of events when it closes, also those of clients that read nothing', async () => {
  let cancelled = 0
  const { port, close } = await serve(() => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: first\n\n')),
      cancel: () => void (cancelled += 1),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  const url = `http://127.0.0.1:${port}`
  const [read, unread] = await Promise.all([fetch(url), fetch(url)])
  const leaving = new AbortController()
  await fetch(url, { signal: leaving.signal })
  leaving.abort()
  await expect.poll(() => cancelled).toBe(1)
  const start = performance.now()
  await close(60_000)
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(cancelled).toBe(3)
  expect(await read.text()).toBe('data: first\n\n')
  await unread.body!.cancel()
})
