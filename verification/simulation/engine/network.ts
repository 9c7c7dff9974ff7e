import type { Recorder } from '../checks/recorder.ts'
import type { FaultRates } from '../workload/fault-rates.ts'
import { makeAbortListeners } from './abort-listeners.ts'
import { type Connection, makeConnections } from './connections.ts'
import { makeDelivery } from './delivery.ts'
import type { Distance } from './distance.ts'
import type { EventLoop } from './event-loop.ts'
import { type Health, makeHealth } from './health.ts'
import { makeNetworkFaults } from './network-faults.ts'
import type { Process } from './process.ts'
import type { Reply, Server } from './server.ts'
import { makeStreams, type StreamFaults, type Streams } from './streams.ts'

/** The network between processes and servers. */
export type Network = {
  /** The `fetch` of one process. */
  readonly fetchOf: (process: Process) => typeof fetch
  /** Cuts the link between a process and a server for this many ms. */
  readonly cut: (process: string, server: string, time: number) => void
  /** Makes a server hang for this many ms. */
  readonly hang: (server: string, time: number) => void
  /** Routes a URL to this server from now on. */
  readonly reroute: (url: string, server: Server) => void
  /** The faulty servers. */
  readonly health: Health
  /** The number of requests that a process has sent, streams included. */
  readonly requestsOf: (process: string) => number
  readonly streams: Streams
  /** Sets the faults of streams. Default: none. */
  readonly setStreamFaults: (faults: StreamFaults | undefined) => void
  /** Ends all faults permanently. */
  readonly heal: () => void
  /** The number of requests that have been sent but not yet executed. */
  readonly requestsUnderWay: () => number
}

/** The settings of a history's network, before any fault. */
export type NetworkSettings = {
  readonly rates: FaultRates
  readonly distance: Distance
  /** The maximum one-way time of a slow message, in ms. */
  readonly maxDelay: number
  /** Whether processes start without open connections. */
  readonly isCold: boolean
}

/** Opening a connection over TLS takes this many round trips. */
export const openingRoundTrips = 3

export const makeNetwork = (
  loop: EventLoop,
  { rates, distance, maxDelay, isCold }: NetworkSettings,
  routes: ReadonlyMap<string, Server>,
  recorder: Recorder,
): Network => {
  const { trace } = loop
  const servers = new Map(routes)
  const faults = makeNetworkFaults(loop, rates, maxDelay, recorder)
  const health = makeHealth(loop)
  const onAbort = makeAbortListeners()
  const connections = makeConnections(loop, onAbort)
  const { deliver, requestsUnderWay } = makeDelivery(loop, servers, {
    rates,
    distance,
    faults,
    health,
    recorder,
  })

  let streamFaults: StreamFaults | undefined
  const streams = makeStreams(
    loop,
    servers,
    { distance, health, faults: () => streamFaults },
    recorder,
    onAbort,
  )
  const requests = new Map<string, number>()

  const connect = (
    process: Process,
    url: string,
    signal: AbortSignal,
    send: (connection: Connection) => void,
  ): void => {
    const { name } = servers.get(url)!
    const openingTime = openingRoundTrips * 2 * distance.draw(process.random, process.name, name)
    connections.open(`${process.name}>${name}`, openingTime, signal, send)
  }

  const responseOf = (
    { random }: Process,
    { status, body }: Reply,
    signal: AbortSignal,
  ): Response =>
    ({
      status,
      // A body can be lost even if the headers have arrived.
      text: () =>
        faults.happens(random, rates.replyLost / 4)
          ? new Promise<string>((_, reject) =>
              onAbort(signal, () => reject(new Error('This operation was aborted'))),
            )
          : Promise.resolve(body),
    }) as Response

  return {
    fetchOf: (process) => async (input, init) =>
      new Promise((resolve, reject) => {
        requests.set(process.name, (requests.get(process.name) ?? 0) + 1)
        const { signal, redirect } = init!
        if (redirect !== 'manual') recorder.violated('redirect', 'a redirect would be followed')
        const url = input as string
        if (url.includes('/subscribe/')) {
          streams.open(process, url, signal!).then(resolve, reject)
          return undefined
        }
        // An abort does not stop the request: the server may still execute it.
        onAbort(signal!, () => reject(new Error('This operation was aborted')))
        const fail = (why = 'fetch failed'): void => process.run(() => reject(new TypeError(why)))
        const receive = (reply: Reply): void => resolve(responseOf(process, reply, signal!))
        if (!isCold) return deliver(process, url, init!, receive, fail)
        return connect(process, url, signal!, ({ free }) => {
          const receiveAndFree = (reply: Reply): void => {
            free()
            receive(reply)
          }
          deliver(process, url, init!, receiveAndFree, fail)
        })
      }),
    cut: (process, server, time) => {
      trace.say(() => `${process} and ${server} are cut off for ${time.toFixed(0)} ms`)
      faults.block(`${process}>${server}`, time)
    },
    hang: (server, time) => {
      trace.say(() => `${server} hangs for ${time.toFixed(0)} ms`)
      faults.block(server, time)
    },
    reroute: (url, server) => {
      trace.say(() => `${url} leads to ${server.name}`)
      servers.set(url, server)
    },
    requestsOf: (process) => requests.get(process) ?? 0,
    streams,
    setStreamFaults: (faults) => void (streamFaults = faults),
    health,
    heal: () => {
      faults.heal()
      for (const [url, server] of routes) servers.set(url, server)
      health.cureAll()
    },
    requestsUnderWay,
  }
}
