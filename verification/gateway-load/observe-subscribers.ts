import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { quantileSorted } from 'simple-statistics'
import { until } from '../../tools/cli/until.ts'
import { openRedis } from '../chaos/nodes/open-redis.ts'
import { type Gateway, startGateway } from './gateway-process.ts'
import type { Memory, Settings } from './gateway-server.ts'
import { maxGrowth } from './limits.ts'

/** The messages that subscribers received, and the connections left behind. */
export type Subscribers = {
  readonly subscribers: number
  readonly messages: number
  /** How many subscribers received every message once, in order. */
  readonly complete: number
  /** How many of the clients that do not read were cut off. */
  readonly cutOff: number
  readonly stalled: number
  /** The time from the publish request to the event, in ms. */
  readonly p99: number
  /** Connections of Redis with a subscription, once all clients had left. */
  readonly left: number
  readonly memory: { readonly peak: number; readonly first: Memory; readonly last: Memory }
}

const subscribers = 100
const stalled = 10
const messages = 300
const padding = 'x'.repeat(80_000)
const limit = 60_000

const agent = new Agent({ maxSockets: Infinity })

const open = async ({ port, token }: Gateway): Promise<IncomingMessage> => {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const request = get({ host: '127.0.0.1', port, path: '/subscribe/load', headers, agent })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  return response
}

/** Reads a stream and notes the numbers of its messages, and how long each took. */
const follow = (response: IncomingMessage, times: number[]): number[] => {
  const seen: number[] = []
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const [, number, sent] = /^data: message,load,(\d+) (\d+)/.exec(line) ?? []
      if (number === undefined) continue
      seen.push(Number(number))
      times.push(Date.now() - Number(sent))
    }
  })
  return seen
}

/** Publishes through one gateway to many subscribers, some of which do not read. */
export const observeSubscribers = async (settings: Settings): Promise<Subscribers> => {
  const gateway = await startGateway(settings)
  const redis = openRedis(settings.redis)
  const count = async (): Promise<number> =>
    ((await redis.call('PUBSUB', 'NUMSUB', 'load')) as [string, number])[1]
  try {
    const first = await gateway.collected()
    const times: number[] = []
    const reading = await Promise.all(Array.from({ length: subscribers }, () => open(gateway)))
    const seen = reading.map((response) => follow(response, times))
    const deaf = await Promise.all(Array.from({ length: stalled }, () => open(gateway)))
    for (const response of deaf) response.pause()
    for (let number = 0; number < messages; number++) {
      await redis.publish('load', `${number} ${Date.now()} ${padding}`)
      // One at a time: the clients share one process, which would only measure its own queue.
      await until(() => seen.every(({ length }) => length > number), limit)
    }
    const cutOff = subscribers + stalled - (await count())
    for (const response of [...reading, ...deaf]) response.destroy()
    await until(async () => (await count()) === 0, limit).catch(() => {})
    // The buffers of the connections are freed a moment after the connections have ended.
    let last = await gateway.collected()
    const isFreed = async (): Promise<boolean> => {
      last = await gateway.collected()
      return last.used <= first.used + maxGrowth
    }
    await until(isFreed, limit).catch(() => {})
    const isComplete = (numbers: readonly number[]): boolean =>
      numbers.length === messages && numbers.every((number, index) => number === index)
    return {
      subscribers,
      messages,
      complete: seen.filter(isComplete).length,
      cutOff,
      stalled,
      p99: quantileSorted(
        times.sort((a, b) => a - b),
        0.99,
      ),
      left: await count(),
      memory: { peak: gateway.peak(), first, last },
    }
  } finally {
    redis.disconnect()
    await gateway.end()
  }
}
