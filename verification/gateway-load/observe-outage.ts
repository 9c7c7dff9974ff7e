import { setTimeout } from 'node:timers/promises'
import { until } from '../../tools/cli/until.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { type Gateway, startGateway } from './gateway-process.ts'
import { send } from './send.ts'
import type { Settings } from './gateway-server.ts'

/** The clients' results while Redis was down, and its counter afterwards. */
export type Outage = {
  readonly statuses: Readonly<Record<string, number>>
  /** Ms from the restart of Redis to the first 200. */
  readonly recovery: number
  /** The maximum time to an answer, in ms. */
  readonly longest: number
  /** Whether the process of the gateway outlived the outage. */
  readonly isSame: boolean
  readonly counter: number
}

const clients = 20

/**
 * Kills the Redis of a gateway under load and restarts it with the data on its disk, which includes every
 * acknowledged write. The gateway keeps running.
 */
export const observeOutage = async (settings: Omit<Settings, 'redis'>): Promise<Outage> => {
  const redis = await startRedis({ persistent: true })
  let gateway: Gateway | undefined
  try {
    gateway = await startGateway({ ...settings, redis: redis.port })
    const url = `http://127.0.0.1:${gateway.port}/`
    const headers = { authorization: `Bearer ${settings.token}` }
    const statuses: Record<string, number> = {}
    let longest = 0
    const over = new AbortController()
    const seen = async (status: string): Promise<void> => {
      const before = statuses[status] ?? 0
      await until(() => (statuses[status] ?? 0) > before, 15_000, `no ${status} came`)
    }
    const sendOn = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { status, error, time } = await send(url, { headers, body: '["INCR","n"]' })
        const what = `${status ?? error}`
        statuses[what] = (statuses[what] ?? 0) + 1
        longest = Math.max(longest, time)
      }
    }
    const sending = Promise.all(Array.from({ length: clients }, sendOn))
    await setTimeout(1000)
    await redis.crash()
    await seen('503')
    await setTimeout(1000)
    await redis.restart()
    const back = performance.now()
    await seen('200')
    const recovery = performance.now() - back
    await setTimeout(1000)
    over.abort()
    await sending
    const response = await fetch(url, { method: 'POST', headers, body: '["GET","n"]' })
    const { result } = (await response.json()) as { result: string }
    return { statuses, recovery, longest, isSame: gateway.isUp(), counter: Number(result) }
  } finally {
    await gateway?.end()
    await redis.stop()
  }
}
