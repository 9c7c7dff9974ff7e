import type { Recorder } from '../checks/recorder.ts'
import type { Weather } from '../workload/fault-rates.ts'
import type { World } from './event-loop.ts'
import type { Process } from './process.ts'
import type { Reply, Server } from './server.ts'

/** The way between processes and servers, and all that goes wrong on it. */
export type Network = {
  /** `fetch` as one process has it. */
  readonly fetchOf: (process: Process) => typeof fetch
  readonly cut: (process: string, server: string, time: number) => void
  readonly hang: (server: string, time: number) => void
  /** From now on nothing goes wrong any more. */
  readonly heal: () => void
  /** How many requests are still to be executed. */
  readonly underWay: () => number
}

/** Bodies and states that come from between: load balancers, proxies, caches. */
const garbage: readonly Reply[] = [
  { status: 500, body: '{"error":"internal"}' },
  { status: 502, body: '<html><h1>Bad Gateway</h1></html>' },
  { status: 200, body: '<html>Sign in</html>' },
  { status: 200, body: '' },
  { status: 200, body: 'null' },
  { status: 200, body: '{"result":["a' },
  { status: 200, body: '{"result":null}' },
  { status: 429, body: '{"error":"ERR max requests limit exceeded"}' },
  { status: 301, body: '' },
  { status: 307, body: '{"result":"OK"}' },
]

export const makeNetwork = (
  world: World,
  weather: Weather,
  servers: ReadonlyMap<string, Server>,
  longest: number,
  recorder: Recorder,
): Network => {
  const { now, after, random, trace } = world
  const until = new Map<string, number>()
  // One listener for all requests of a round: listening takes more time than anything else here.
  const listeners = new Map<AbortSignal, (() => void)[]>()
  const onAbort = (signal: AbortSignal, abort: () => void): void => {
    if (signal.aborted) return abort()
    const known = listeners.get(signal)
    if (known) return void known.push(abort)
    const all = [abort]
    listeners.set(signal, all)
    signal.addEventListener('abort', () => all.forEach((one) => one()))
  }
  let isHealed = false
  let underWay = 0
  // The last reply of each server, and whom it was for.
  const replies = new Map<string, { readonly value: string; readonly reply: Reply }>()
  const happens = (rate: number): boolean => !isHealed && rate > 0 && random.chance(rate)
  const isBlocked = (name: string): boolean => !isHealed && (until.get(name) ?? 0) > now()
  const delay = (): number =>
    happens(weather.slow) ? random.between(0, longest) : random.between(0.3, weather.distance)

  const deliver = (
    process: Process,
    url: string,
    init: RequestInit,
    answer: (reply: Reply) => void,
    fail: () => void,
  ): void => {
    const server = servers.get(url)!
    const request = {
      method: init.method!,
      authorization: (init.headers as Record<string, string>)['authorization']!,
      words: JSON.parse(init.body as string) as string[],
    }
    const { name, value } = recorder.sent(process.name, server.name, request.words)
    const way = `${process.name}>${server.name}`
    trace.say(() => `${way} ${request.words.slice(2).join(' ')}`)
    if (happens(weather.refused)) {
      recorder.met('refused connection')
      after(random.between(0.1, 2), fail)
      return
    }
    if (isBlocked(way) || isBlocked(server.name) || happens(weather.requestLost)) {
      recorder.met('lost request')
      trace.say(() => `${name}: lost`)
      return
    }
    const arrive = (isLast: boolean): void => {
      underWay++
      after(delay(), () => {
        underWay--
        if (isBlocked(server.name)) return
        trace.say(() => name)
        const own = server.handle(request)
        if (!isLast) return
        if (isBlocked(way) || happens(weather.replyLost)) {
          recorder.met('lost reply')
          trace.say(() => `  its reply is lost`)
          return
        }
        let reply = own
        if (happens(weather.garbled)) {
          const other = replies.get(server.name)
          const isMixedUp = other !== undefined && other.value !== value && random.chance(0.3)
          recorder.met(isMixedUp ? 'mixed-up reply' : 'garbled reply')
          reply = isMixedUp ? other.reply : random.pick(garbage)
        }
        replies.set(server.name, { value, reply: own })
        after(delay(), () => process.enter(() => answer(reply)))
      })
    }
    arrive(true)
    if (happens(weather.duplicated)) {
      recorder.met('duplicate request')
      arrive(false)
      if (random.chance(0.3)) arrive(false)
    }
  }

  return {
    fetchOf: (process) => async (input, init) =>
      new Promise((resolve, reject) => {
        const { signal, redirect } = init!
        if (redirect !== 'manual') recorder.violated('redirect', 'a redirect would be followed')
        // What was sent cannot be taken back: it may well be executed after this.
        onAbort(signal!, () => reject(new Error('This operation was aborted')))
        const answer = ({ status, body }: Reply): void =>
          resolve({
            status,
            // Now and then the head comes, and the body does not.
            text: () =>
              happens(weather.replyLost / 4)
                ? new Promise<string>((_, cancel) =>
                    onAbort(signal!, () => cancel(new Error('This operation was aborted'))),
                  )
                : Promise.resolve(body),
          } as Response)
        deliver(process, input as string, init!, answer, () =>
          process.enter(() => reject(new TypeError('fetch failed'))),
        )
      }),
    cut: (process, server, time) => {
      trace.say(() => `${process} and ${server} are cut off for ${time.toFixed(0)} ms`)
      until.set(`${process}>${server}`, now() + time)
    },
    hang: (server, time) => {
      trace.say(() => `${server} hangs for ${time.toFixed(0)} ms`)
      until.set(server, now() + time)
    },
    heal: () => {
      isHealed = true
    },
    underWay: () => underWay,
  }
}
