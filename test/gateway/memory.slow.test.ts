import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { until } from '../../tools/cli/until.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { type Gateway, startGateway } from '../../verification/gateway-load/gateway-process.ts'
import { token } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

// The memory of a gateway in a process of its own, after a garbage collection, while requests wait.

const maxBody = 262_144
const clients = 2
// The heap of an idle process varies by less.
const noise = 1_000_000

let redis: Awaited<ReturnType<typeof startRedis>>
let gateway: Gateway

beforeAll(async () => {
  redis = await startRedis()
  const limits = { headersTimeout: 60_000, requestTimeout: 60_000, grace: 0 }
  gateway = await startGateway({ redis: redis.port, token, maxBody, ...limits })
})
afterAll(async () => {
  await gateway.end()
  await redis.stop()
})

const used = async (): Promise<number> => (await gateway.collected()).used

const command = `["SET","big","${'x'.repeat(maxBody - 16)}"]`
const head = `POST / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n`

/** Sends a request without its last byte. Resolves when all of it has left this process. */
const sendAllButLast = (text: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.on('error', reject)
    socket.write(text, () => resolve(socket))
  })

test.each([
  ['in one piece', 65_536],
  ['in chunks of 16 bytes', 16],
  ['in chunks of 1 byte', 1],
])('a request whose body comes %s keeps at most twice `maxBody`', async (_how, size) => {
  const chunk = (at: number): string => {
    const part = command.slice(at, Math.min(at + size, command.length - 1))
    return `${part.length.toString(16)}\r\n${part}\r\n`
  }
  let body = ''
  for (let at = 0; at < command.length - 1; at += size) body += chunk(at)
  const before = await used()
  const request = `${head}transfer-encoding: chunked\r\n\r\n${body}`
  const sockets = await Promise.all(Array.from({ length: clients }, () => sendAllButLast(request)))
  // While a body is being read, unread chunks wait in Node; afterwards only the body is there.
  const isSettled = async (): Promise<boolean> => {
    const more = (await used()) - before
    return more > clients * maxBody * 0.9 && more < clients * 2 * maxBody + noise
  }
  await until(isSettled, 60_000)
  // The last byte shows that every body was there, and that its memory is freed.
  const statuses = await Promise.all(
    sockets.map(async (socket) => {
      socket.write('1\r\n]\r\n0\r\n\r\n')
      const [data] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return String(data).slice(0, 12)
    }),
  )
  expect(statuses).toEqual(sockets.map(() => 'HTTP/1.1 200'))
  await until(async () => (await used()) - before < noise, 60_000)
})

test('a request that waits for Redis keeps its command, which ioredis copies once or twice', async () => {
  const before = await used()
  process.kill(redis.pid, 'SIGSTOP')
  const count = 20
  const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: command }
  const url = `http://127.0.0.1:${gateway.port}`
  const responses = Promise.all(Array.from({ length: count }, () => fetch(url, init)))
  try {
    // While the requests arrive, their bodies are there as well.
    const isSettled = async (): Promise<boolean> => {
      const more = (await used()) - before
      return more > count * maxBody * 0.9 && more < count * 3 * maxBody + noise
    }
    await until(isSettled, 60_000)
  } finally {
    process.kill(redis.pid, 'SIGCONT')
  }
  for (const { status } of await responses) expect(status).toBe(200)
})
