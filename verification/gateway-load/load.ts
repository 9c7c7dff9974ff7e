import autocannon from 'autocannon'
import { quantileSorted } from 'simple-statistics'
import type { Kind } from './kinds.ts'
import { send } from './send.ts'

/** What became of the requests of one kind. */
export type Load = {
  readonly seconds: number
  /** How many were answered, by status. */
  readonly statuses: Readonly<Record<number, number>>
  /** How many were not: their connection broke. */
  readonly errors: number
  readonly perSecond: number
  /** In ms. */
  readonly p99: number
}

type Tally = {
  readonly times: number[]
  readonly statuses: Record<number, number>
  errors: number
  /** When the last answer came. */
  last: number
}

const count = (tally: Tally, status: number | undefined, time: number): void => {
  if (status === undefined) tally.errors++
  else tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
  tally.times.push(time)
  tally.last = performance.now()
}

// Enough to see how fast it goes.
const firstPerConnection = 10

/** So many requests, every one of which is waited for: autocannon would cut off the last by time. */
const rounds = async (url: string, kind: Kind, amount: number, tally: Tally): Promise<void> => {
  const { connections, path, headers, body } = kind
  const options = { url: url + path, method: 'POST', headers, body, connections, amount } as const
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon(options, (error, result) => {
      tally.errors += result?.errors ?? 0
      if (error) reject(error as Error)
      else resolve()
    })
    instance.on('response', (_client, status, _bytes, time) => count(tally, status, time))
  })
}

/** The same, in chunks, which autocannon does not send. */
const chunkedRounds = async (
  url: string,
  kind: Kind,
  amount: number,
  tally: Tally,
): Promise<void> => {
  let left = amount
  const sendOn = async (): Promise<void> => {
    while (left-- > 0) {
      const { status, time } = await send(url + kind.path, kind)
      count(tally, status, time)
    }
  }
  await Promise.all(Array.from({ length: kind.connections }, sendOn))
}

/** Sends requests of a kind for so many seconds at least, and until each of them is answered. */
export const load = async (url: string, kind: Kind, seconds: number): Promise<Load> => {
  const tally: Tally = { times: [], statuses: {}, errors: 0, last: 0 }
  let amount = kind.connections * firstPerConnection
  // Under load, that is: autocannon ends only with the second in which it is done.
  let took = 0
  do {
    const start = performance.now()
    await (kind.isChunked ? chunkedRounds : rounds)(url, kind, amount, tally)
    took += (tally.last - start) / 1000
    const rate = tally.times.length / took
    amount = Math.max(kind.connections, Math.ceil(rate * (seconds - took)))
  } while (took < seconds)
  return {
    seconds: took,
    statuses: tally.statuses,
    errors: tally.errors,
    perSecond: tally.times.length / took,
    p99: quantileSorted(
      tally.times.sort((a, b) => a - b),
      0.99,
    ),
  }
}
