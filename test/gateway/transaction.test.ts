import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { RedisCommand } from '../../src/entries/gateway.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { backends } from './backends.ts'
import { type Running, closeAfter, startGateway } from './support.ts'
import { later } from '../support/signals.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let redis: Awaited<ReturnType<typeof startRedis>>

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())

// Wrong on purpose: MULTI and EXEC are sent over the connection that all commands share.
const sharing = (send: (command: RedisCommand) => Promise<unknown>) => ({
  send,
  transaction: async (commands: readonly RedisCommand[]): Promise<readonly unknown[] | null> => {
    await send(['MULTI'])
    for (const command of commands) await send(command)
    return (await send(['EXEC'])) as unknown[] | null
  },
})

type Result = { result?: unknown; error?: string }

/** Runs many transactions and plain commands at once, and returns what went wrong. */
const runConcurrently = async (server: Running): Promise<string[]> => {
  const wrong: string[] = []
  const transaction = async (id: number): Promise<void> => {
    // All share the counter: only in an atomic transaction do two INCRs return consecutive numbers.
    const [status, body] = await server.post('/multi-exec', [
      ['INCR', 'counter'],
      ['SET', `own:${id}`, id],
      ['GET', `own:${id}`],
      ['INCR', 'counter'],
    ])
    const entries = body as Result[]
    if (status !== 200) return void wrong.push(`transaction failed: ${JSON.stringify(body)}`)
    const [first, set, get, second, ...more] = entries
    if (more.length > 0) wrong.push("another caller's commands ran inside")
    if (set?.result !== 'OK' || get?.result !== String(id)) wrong.push('replies of another caller')
    if (Number(second?.result) !== Number(first?.result) + 1) wrong.push('not atomic')
  }
  const plain = async (id: number): Promise<void> => {
    await server.post('/', ['INCR', 'counter'])
    await server.post('/', ['SET', `plain:${id}`, id])
    const [, body] = await server.post('/', ['GET', `plain:${id}`])
    const { result } = body as Result
    if (result !== String(id)) wrong.push(`a plain command was answered ${JSON.stringify(body)}`)
  }
  const ids = Array.from({ length: 60 }, (_, id) => id)
  await Promise.all(ids.flatMap((id) => [transaction(id), plain(id)]))
  return wrong
}

describe('a backend that shares one connection', () => {
  test("runs another request's command inside the transaction", async () => {
    const shared = closeAfter(ioredisBackend({ host: '127.0.0.1', port: redis.port }))
    await shared.send(['SET', 'key', 'value'])
    const queued = later()
    const free = later()
    const { send, transaction } = sharing(async (command) => {
      if (command[0] === 'EXEC') {
        queued.resolve()
        await free.promise
      }
      return shared.send(command)
    })
    const server = closeAfter(await startGateway({ send, transaction }))
    // The gateway has asked about the commands before.
    await server.post('/', ['GET', 'key'])
    const exec = server.post('/multi-exec', [['SET', 'mine', '1']])
    await queued.promise
    expect(await server.post('/', ['GET', 'key'])).toEqual([200, { result: 'QUEUED' }])
    free.resolve()
    expect(await exec).toEqual([200, [{ result: 'OK' }, { result: 'value' }]])
  })

  test('mixes up concurrent transactions and commands', async () => {
    const shared = closeAfter(ioredisBackend({ host: '127.0.0.1', port: redis.port }))
    const server = closeAfter(await startGateway(sharing((command) => shared.send(command))))
    expect((await runConcurrently(server)).length).toBeGreaterThan(0)
  })
})

describe.each(Object.entries(backends))('%s', (_name, connect) => {
  beforeEach(async () => {
    const direct = ioredisBackend({ host: '127.0.0.1', port: redis.port })
    await direct.send(['FLUSHALL'])
    await direct.close()
  })

  test('concurrent transactions and commands do not mix, and each transaction is atomic', async () => {
    const backend = closeAfter(await connect(redis.port))
    const server = closeAfter(await startGateway(backend))
    expect(await runConcurrently(server)).toEqual([])
    expect(await server.post('/', ['GET', 'counter'])).toEqual([200, { result: '180' }])
  })
})

test('reuses the connections of transactions, and closes all with the backend', async () => {
  const watcher = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  const others = async (): Promise<number> =>
    String(await watcher.send(['CLIENT', 'LIST', 'TYPE', 'normal']))
      .trim()
      .split('\n').length - 1
  await expect.poll(others).toBe(0)
  const backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  for (let round = 0; round < 20; round += 1) await backend.transaction([['PING']])
  await backend.send(['PING'])
  expect(await others()).toBe(2)
  await backend.close()
  await expect.poll(others).toBe(0)
  await watcher.close()
})
