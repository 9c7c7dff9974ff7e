import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { Redis } from 'ioredis'
import { median, quantile } from 'simple-statistics'
import { startChild } from '../../tools/child-process.ts'
import { startGateway } from './gateway-process.ts'
import type { Settings } from './gateway-server.ts'

/** The gateway compared with a bare server. Both are loaded in turn, and each figure is the median of all rounds. */
export type Comparison = {
  /** Requests per second of a few connections. */
  readonly perSecond: number
  /** The fraction of the bare server's requests per second. */
  readonly share: number
  /** In ms, with a thousand connections. */
  readonly p99: number
  /** The ratio to the bare server. */
  readonly timesP99: number
  readonly failures: number
}

const [rounds, few, many] = [5, 20, 1000]

// A busy machine may need longer than requested, up to this many seconds at a time.
const maxSeconds = 60

type Steady = {
  readonly times: number[]
  readonly perSecond: number
  readonly failures: number
}

/** Sends requests for some seconds. The first of each connection, which waits for it, does not count. */
const steadyLoad = async (
  target: { readonly port: number; readonly token: string; readonly body: string },
  connections: number,
  seconds: number,
): Promise<Steady> => {
  const times: number[] = []
  const opened = new Set<unknown>()
  let failures = 0
  const options = {
    url: `http://127.0.0.1:${target.port}/`,
    method: 'POST',
    headers: { authorization: `Bearer ${target.token}` },
    body: target.body,
    connections,
    duration: seconds,
  } as const
  await new Promise<void>((resolve, reject) => {
    const load = autocannon(options, (error) => (error ? reject(error as Error) : resolve()))
    load.on('response', (client, status, _bytes, time) => {
      if (status !== 200) failures++
      if (opened.has(client)) times.push(time)
      else opened.add(client)
    })
  })
  return { times, perSecond: times.length / seconds, failures }
}

/** Loads a gateway and a bare server with the same script calls, in turn. */
export const observeBare = async (settings: Settings, seconds: number): Promise<Comparison> => {
  await using started = new AsyncDisposableStack()
  const { redis, token } = settings
  const client = new Redis(redis, '127.0.0.1')
  const sha = (await client.script('LOAD', 'return ARGV')) as string
  client.disconnect()
  const keys = ['lock:l:report', 'lock:f:report', `lock:x:${crypto.randomUUID()}`]
  const args = ['a', crypto.randomUUID(), 10_000, 600_000, Date.now(), '', '', '']
  const body = JSON.stringify(['EVALSHA', sha, keys.length, ...keys, ...args])
  const gateway = await startGateway(settings)
  started.defer(gateway.end)
  const file = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  const bare = await startChild<{ port: number }>(file, { redis, token })
  started.defer(bare.end)
  const perSecond: number[] = []
  const shares: number[] = []
  const p99: number[] = []
  const timesP99: number[] = []
  let failures = 0
  const observe = async (port: number, connections: number): Promise<Steady> => {
    // Until each connection has had an answer after its first one.
    for (let time = seconds; ; time *= 2) {
      const seen = await steadyLoad({ port, token, body }, connections, time)
      failures += seen.failures
      if (seen.times.length >= connections || time >= maxSeconds) return seen
    }
  }
  for (let round = 0; round < rounds; round++) {
    const quick = await observe(gateway.port, few)
    const bareQuick = await observe(bare.report.port, few)
    const late = quantile((await observe(gateway.port, many)).times, 0.99)
    const bareLate = quantile((await observe(bare.report.port, many)).times, 0.99)
    perSecond.push(quick.perSecond)
    shares.push(quick.perSecond / bareQuick.perSecond)
    p99.push(late)
    timesP99.push(late / bareLate)
  }
  return {
    perSecond: median(perSecond),
    share: median(shares),
    p99: median(p99),
    timesP99: median(timesP99),
    failures,
  }
}
