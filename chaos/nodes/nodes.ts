import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type RedisServer, startRedis } from '../../dev/redis.ts'
import { type Child, startChild } from '../child.ts'
import type { GatewayFault } from './gateway-faults.ts'

// A Redis server and its gateway, each a process, and what can be done to them.

const file = fileURLToPath(new URL('gateway.ts', import.meta.url))

export type ChaosNode = {
  readonly url: string
  readonly port: number
  readonly token: string
  readonly redis: RedisServer
  readonly setFault: (fault?: GatewayFault) => void
  readonly signalGateway: (signal: 'SIGSTOP' | 'SIGCONT') => void
  readonly killGateway: () => Promise<void>
  readonly restartGateway: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a server, with or without persistence, and a gateway in front of it. */
export const startNode = async (options: {
  readonly isPersistent: boolean
  readonly seed: number
}): Promise<ChaosNode> => {
  const redis = await startRedis({ persistent: options.isPersistent })
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
