import type { AddressInfo, Server } from 'node:net'
import { serve } from '@hono/node-server'
import { Redis as Upstash } from '@upstash/redis'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { gateway, type GatewayOptions, type RedisCommand } from '../../src/entries/gateway.ts'
import { type Backend, ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'

export const token = 'test-token'

type Closable = { close(): Promise<unknown> } | { stop(): Promise<unknown> }

/** Has it closed once the test has ended, after what was started later. */
export const closeAfter = <T extends Closable>(one: T): T => {
  onTestFinished(async () => void (await ('close' in one ? one.close() : one.stop())))
  return one
}

/** A gateway that listens on its own port. */
export type Running = {
  readonly url: string
  /** Sends a request with the right token, unless `headers` has another `authorization`. */
  request(path: string, init?: RequestInit & { duplex?: 'half' }): Promise<Response>
  /** POSTs JSON and returns the status and the JSON of the response. */
  post(path: string, body: unknown, headers?: HeadersInit): Promise<[number, unknown]>
  upstash(options?: { enableAutoPipelining?: boolean }): Upstash
  /** The number of requests that have arrived. */
  requests(): number
  close(): Promise<void>
}

export const startGateway = async (
  options: Omit<GatewayOptions, 'token'> & { token?: string },
): Promise<Running> => {
  const app = gateway({ token, ...options })
  let requests = 0
  const fetchCounted: typeof app.fetch = (...args) => {
    requests += 1
    return app.fetch(...args)
  }
  const server = await new Promise<Server>((resolve) => {
    const created = serve({ fetch: fetchCounted, port: 0, hostname: '127.0.0.1' }, () =>
      resolve(created),
    )
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const request: Running['request'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
    return fetch(url + path, { ...init, headers })
  }
  return {
    url,
    request,
    post: async (path, body, headers = {}) => {
      const response = await request(path, { method: 'POST', body: JSON.stringify(body), headers })
      return [response.status, await response.json()]
    },
    upstash: (more = {}) => new Upstash({ url, token, retry: { retries: 0 }, ...more }),
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
      }),
  }
}

const connectIoredis = (port: number): Backend => ioredisBackend({ host: '127.0.0.1', port })

/**
 * Starts a gateway and a Redis for all tests of a file or a `describe`. The Redis is emptied before each
 * test.
 */
export const useGateway = (
  options: Pick<GatewayOptions, 'maxBody'> = {},
  connect: (port: number) => Backend | Promise<Backend> = connectIoredis,
): { readonly server: Running; readonly backend: Backend } => {
  const use = {} as { server: Running; backend: Backend }
  let redis: Awaited<ReturnType<typeof startRedis>>
  beforeAll(async () => {
    redis = await startRedis()
    use.backend = await connect(redis.port)
    use.server = await startGateway({ ...use.backend, ...options })
  })
  afterAll(async () => {
    await use.server.close()
    await use.backend.close()
    await redis.stop()
  })
  beforeEach(async () => {
    await use.backend.send(['FLUSHALL'])
  })
  return use
}

/** The reply to COMMAND INFO for a command that touches only the key that it names; undefined for another command. */
const commandInfo = ([name, subject, named]: RedisCommand): unknown =>
  name === 'COMMAND' && subject === 'INFO'
    ? [[named, -2, [], 1, 1, 1, ['@read'], [], [], []]]
    : undefined

type Send = GatewayOptions['send']

/** A `send` that answers the questions of the gateway itself. */
export const informed =
  (send: Send): Send =>
  async (command) =>
    commandInfo(command) ?? send(command)

/** A backend that replies `OK` to every command and records it, but to the questions of the gateway. */
export const spy = (): Pick<GatewayOptions, 'send' | 'transaction'> & {
  readonly commands: RedisCommand[]
} => {
  const commands: RedisCommand[] = []
  return {
    commands,
    send: informed(async (command) => {
      commands.push(command)
      return 'OK'
    }),
    transaction: async (list) => {
      commands.push(...list)
      return list.map(() => 'OK')
    },
  }
}

/** A backend that replies `OK` to every command. */
export const okBackend = (): Pick<GatewayOptions, 'send' | 'transaction'> => {
  const { send, transaction } = spy()
  return { send, transaction }
}
