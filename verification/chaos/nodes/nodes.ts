import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RedisServer, startRedis } from '../../../tools/servers/redis.ts'
import { type Child, startChild } from '../campaign/child.ts'
import { makeClock } from './clock.ts'
import type { GatewayFault } from './gateway-faults.ts'

// A Redis server and its gateway, each a process, and what can be done to them.

const file = fileURLToPath(new URL('gateway.ts', import.meta.url))

export type ChaosNode = {
  readonly url: string
  readonly port: number
  readonly token: string
  readonly redis: RedisServer
  readonly crashRedis: () => Promise<void>
  /** Puts the clock of Redis so many ms ahead. @throws where it cannot be put anywhere. */
  readonly setClock: (ms: number) => void
  readonly setFault: (fault?: GatewayFault) => void
  readonly signalGateway: (signal: 'SIGSTOP' | 'SIGCONT') => void
  readonly killGateway: () => Promise<void>
  readonly restartGateway: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts a server, with or without persistence, and a gateway in front of it. With the library for
 * it, its clock can be put on and back.
 */
export const startNode = async (options: {
  readonly isPersistent: boolean
  readonly seed: number
  readonly clockLibrary?: string | undefined
  /** For files of its own. */
  readonly directory: string
}): Promise<ChaosNode> => {
  const { isPersistent, clockLibrary, directory } = options
  const clock =
    clockLibrary === undefined ? undefined : makeClock(clockLibrary, join(directory, 'clock'))
  const redis = await startRedis({ persistent: isPersistent, env: clock?.env })
  const token = randomBytes(24).toString('base64url')
  const start = (port: number): Promise<Child<{ port: number }>> =>
    startChild(file, { redis: redis.port, port, token, seed: options.seed })
  let gateway = await start(0).catch(async (error: unknown) => {
    await redis.stop()
    throw error
  })
  const { port } = gateway.told
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    token,
    redis,
    crashRedis: async () => {
      const { pid } = redis
      await redis.crash()
      clock?.forget(pid)
    },
    setClock: (ms) => {
      if (!clock) throw new Error('This server has the clock of the machine')
      clock.set(ms)
    },
    setFault: (fault) => gateway.send({ fault: fault ?? null }),
    signalGateway: (signal) => void gateway.process.kill(signal),
    killGateway: () => gateway.end(),
    restartGateway: async () => void (gateway = await start(port)),
    stop: async () => {
      await gateway.end()
      await redis.stop()
    },
  }
}
