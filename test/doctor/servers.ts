import { Redis, type RedisOptions } from 'ioredis'
import { gateway } from '../../src/entries/gateway.ts'
import type { RestNodeOptions } from '../../src/index.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'
import { serve } from '../../tools/servers/serve.ts'

/** A Redis server of its own behind a gateway, whose Redis a test can change. */
export type TestNode = RestNodeOptions & {
  readonly redis: RedisServer
  /** Runs a command on the server itself, which the gateway would reject. */
  readonly admin: (...words: [string, ...string[]]) => Promise<unknown>
  /** Stops the gateway, and then the server. */
  readonly stop: () => Promise<void>
}

let nodes = 0
const newToken = (): string => `token-${++nodes}-${crypto.randomUUID()}`

/** Another gateway in front of a server, with the databases and tokens that the test likes. */
export const serveRedis = async (
  { port }: Pick<RedisServer, 'port'>,
  options: RedisOptions = {},
): Promise<RestNodeOptions & { readonly stop: () => Promise<void> }> => {
  const token = newToken()
  const client = new Redis({ host: '127.0.0.1', port, enableReadyCheck: false, ...options })
  client.on('error', () => {})
  const backend = ioredisBackend({ host: '127.0.0.1', port })
  const send = ([name, ...args]: readonly [string, ...(string | Uint8Array)[]]) =>
    client.call(name, ...args.map((arg) => (typeof arg === 'string' ? arg : Buffer.from(arg))))
  const server = await serve(gateway({ ...backend, token, send }).fetch)
  const stop = async (): Promise<void> => {
    await server.close(0)
    client.disconnect()
    await backend.close()
  }
  return { url: `http://127.0.0.1:${server.port}`, token, stop }
}

/** Starts a server that keeps its data, behind a gateway. */
export const startNode = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<TestNode> => {
  const redis = await startRedis({ persistent: true, settings })
  const { url, token, stop } = await serveRedis(redis)
  const client = new Redis({ host: '127.0.0.1', port: redis.port, enableReadyCheck: false })
  client.on('error', () => {})
  return {
    url,
    token,
    redis,
    admin: (...words) => client.call(...words),
    stop: async () => {
      await stop()
      client.disconnect()
      await redis.stop()
    },
  }
}

/** A server that is not Redis: it answers every request with what `reply` returns. */
export const startServer = async (
  reply: (
    body: string,
    authorization: string | undefined,
  ) => Promise<{ status: number; body: string }>,
): Promise<RestNodeOptions & { readonly stop: () => Promise<void> }> => {
  const server = await serve(async (request) => {
    const authorization = request.headers.get('authorization') ?? undefined
    const { status, body } = await reply(await request.text(), authorization)
    return new Response(body, { status })
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    token: newToken(),
    stop: () => server.close(0),
  }
}

/** The node with a clock that is off: TIME replies with another time to every script. */
export const withClock = (node: RestNodeOptions, seconds: number) =>
  startServer(async (request) => {
    const words = JSON.parse(request) as string[]
    if (words[0] === 'EVALSHA') return { status: 400, body: '{"error":"NOSCRIPT no such script"}' }
    const shifted = `(function(t) return { t[1] + ${seconds}, t[2] } end)(redis.pcall('TIME'))`
    words[1] = words[1]!.replace(`redis.pcall('TIME')`, shifted)
    const headers = { authorization: `Bearer ${node.token}` }
    const response = await fetch(node.url, { method: 'POST', headers, body: JSON.stringify(words) })
    return { status: response.status, body: await response.text() }
  })
