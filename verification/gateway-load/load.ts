import autocannon from 'autocannon'
import { quantileSorted } from 'simple-statistics'
import type { Kind } from './kinds.ts'
import { send } from './send.ts'

/** The outcome of all requests of one kind. */
export type Load = {
  readonly seconds: number
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<number, number>>
  /** The number of requests whose connection broke. */
  readonly errors: number
  readonly perSecond: number
  /** In ms. */
  readonly p99: number
}

type Tally = {
  readonly times: number[]
  readonly statuses: Record<number, number>
  errors: number
  /** The time of the last answer. */
  last: number
}

const count = (tally: Tally, status: number | undefined, time: number): void => {
  if (status === undefined) tally.errors++
  else tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
  tally.times.push(time)
  tally.last = performance.now()
}

// The first round measures the rate, which determines the size of the next one.
const firstPerConnection = 10

/** Sends `amount` requests and waits for all: with a duration, autocannon would cut off the last. */
const sendAll = async (url: string, kind: Kind, amount: number, tally: Tally): Promise<void> => {
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

/** The same in chunks, which autocannon does not support. */
const sendAllChunked = async (
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

/** Sends requests of one kind for at least `seconds`, until all of them are answered. */
export const load = async (url: string, kind: Kind, seconds: number): Promise<Load> => {
  const tally: Tally = { times: [], statuses: {}, errors: 0, last: 0 }
  let amount = kind.connections * firstPerConnection
  // Counted up to the last answer, because autocannon itself ends on a full second.
  let took = 0
  do {
    const start = performance.now()
    await (kind.isChunked ? sendAllChunked : sendAll)(url, kind, amount, tally)
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
