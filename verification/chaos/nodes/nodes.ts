import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RedisServer, startRedis } from '../../../tools/servers/redis.ts'
import { type Child, startChild } from '../../../tools/child-process.ts'
import { makeClock } from './clock.ts'
import type { GatewayFault } from './gateway-faults.ts'

// A node: a Redis server and its gateway, each in a separate process, with their possible faults.

const file = fileURLToPath(new URL('gateway.ts', import.meta.url))

export type ChaosNode = {
  readonly url: string
  readonly port: number
  readonly token: string
  readonly redis: RedisServer
  readonly crashRedis: () => Promise<void>
  /** Sets the clock of Redis this many ms ahead. @throws if the clock cannot be stepped. */
  readonly setClock: (ms: number) => void
  readonly setFault: (fault?: GatewayFault) => void
  readonly signalGateway: (signal: 'SIGSTOP' | 'SIGCONT') => void
  readonly killGateway: () => Promise<void>
  readonly restartGateway: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a server, with or without persistence, and the gateway in front of it. */
export const startNode = async (options: {
  readonly isPersistent: boolean
  readonly seed: number
  /** Required for a clock that can be stepped. */
  readonly clockLibrary?: string | undefined
  /** The directory for the files of the clock. */
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
  const { port } = gateway.report
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
      if (!clock) throw new Error('The clock of this server cannot be stepped')
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
