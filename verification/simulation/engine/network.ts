import type { Recorder } from '../checks/recorder.ts'
import type { FaultRates } from '../workload/fault-rates.ts'
import { makeAbortListeners } from './abort-listeners.ts'
import type { EventLoop } from './event-loop.ts'
import { makeNetworkFaults } from './network-faults.ts'
import type { Process } from './process.ts'
import type { Reply, Server, ServerRequest } from './server.ts'

/** The network between processes and servers. */
export type Network = {
  /** The `fetch` of one process. */
  readonly fetchOf: (process: Process) => typeof fetch
  /** Cuts the link between a process and a server for so many ms. */
  readonly cut: (process: string, server: string, time: number) => void
  /** Makes a server hang for so many ms. */
  readonly hang: (server: string, time: number) => void
  /** Ends all faults for good. */
  readonly heal: () => void
  /** The number of requests that have been sent and not yet been executed. */
  readonly requestsUnderWay: () => number
}

const readRequest = (init: RequestInit): ServerRequest => ({
  method: init.method!,
  authorization: (init.headers as Record<string, string>)['authorization']!,
  words: JSON.parse(init.body as string) as string[],
})

export const makeNetwork = (
  loop: EventLoop,
  rates: FaultRates,
  servers: ReadonlyMap<string, Server>,
  maxDelay: number,
  recorder: Recorder,
): Network => {
  const { after, random, trace } = loop
  const faults = makeNetworkFaults(loop, rates, maxDelay, recorder)
  const { happens, delay, isBlocked } = faults
  const onAbort = makeAbortListeners()
  let requestsUnderWay = 0

  const deliver = (
    process: Process,
    url: string,
    init: RequestInit,
    answer: (reply: Reply) => void,
    fail: () => void,
  ): void => {
    const server = servers.get(url)!
    const request = readRequest(init)
    const { name, value } = recorder.requestSent(process.name, server.name, request.words)
    const link = `${process.name}>${server.name}`
    trace.say(() => `${link} ${request.words.slice(2).join(' ')}`)
    if (happens(rates.refused)) {
      recorder.covered('refused connection')
      after(random.between(0.1, 2), fail)
      return
    }
    if (isBlocked(link) || isBlocked(server.name) || happens(rates.requestLost)) {
      recorder.covered('lost request')
      trace.say(() => `${name}: lost`)
      return
    }
    const arrive = (isAnswered: boolean): void => {
      requestsUnderWay++
      after(delay(), () => {
        requestsUnderWay--
        if (isBlocked(server.name)) return
        trace.say(() => name)
        const own = server.handle(request)
        if (!isAnswered) return
        if (isBlocked(link) || happens(rates.replyLost)) {
          recorder.covered('lost reply')
          trace.say(() => `  its reply is lost`)
          return
        }
        const reply = faults.distort(server.name, value, own)
        after(delay(), () => process.run(() => answer(reply)))
      })
    }
    arrive(true)
    if (happens(rates.duplicated)) {
      recorder.covered('duplicate request')
      arrive(false)
      if (random.chance(0.3)) arrive(false)
    }
  }

  const responseOf = ({ status, body }: Reply, signal: AbortSignal): Response =>
    ({
      status,
      // A body can get lost although the headers have arrived.
      text: () =>
        happens(rates.replyLost / 4)
          ? new Promise<string>((_, reject) =>
              onAbort(signal, () => reject(new Error('This operation was aborted'))),
            )
          : Promise.resolve(body),
    }) as Response

  return {
    fetchOf: (process) => async (input, init) =>
      new Promise((resolve, reject) => {
        const { signal, redirect } = init!
        if (redirect !== 'manual') recorder.violated('redirect', 'a redirect would be followed')
        // An abort does not stop the request: the server may still execute it.
        onAbort(signal!, () => reject(new Error('This operation was aborted')))
        deliver(
          process,
          input as string,
          init!,
          (reply) => resolve(responseOf(reply, signal!)),
          () => process.run(() => reject(new TypeError('fetch failed'))),
        )
      }),
    cut: (process, server, time) => {
      trace.say(() => `${process} and ${server} are cut off for ${time.toFixed(0)} ms`)
      faults.block(`${process}>${server}`, time)
    },
    hang: (server, time) => {
      trace.say(() => `${server} hangs for ${time.toFixed(0)} ms`)
      faults.block(server, time)
    },
    heal: faults.heal,
    requestsUnderWay: () => requestsUnderWay,
  }
}
