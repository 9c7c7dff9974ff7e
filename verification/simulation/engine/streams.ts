import type { Recorder } from '../checks/recorder.ts'
import type { OnAbort } from './abort-listeners.ts'
import type { Distance } from './distance.ts'
import type { EventLoop } from './event-loop.ts'
import type { Health } from './health.ts'
import type { Process } from './process.ts'
import type { Server } from './server.ts'

/** How a server responds to a request for an event stream. Rates are shares from 0 to 1. */
export type StreamFaults = {
  readonly answers: 'streams' | 'refuses' | 'hangs' | 'is no stream' | 'is silent'
  readonly lost: number
  readonly late: number
  readonly repeated: number
  /** The maximum ms after which a stream ends without notice. */
  readonly endsAfter: number
}

/** The server-sent event streams from servers to processes. */
export type Streams = {
  /** Responds to a request for a stream, as `fetch` does. */
  readonly open: (process: Process, url: string, signal: AbortSignal) => Promise<Response>
  /** The number of streams that a process has requested but not closed. */
  readonly openOf: (process: string) => number
}

const soundStreams: StreamFaults = {
  answers: 'streams',
  lost: 0,
  late: 0,
  repeated: 0,
  endsAfter: Infinity,
}

// The maximum extra delay of a late message, in ms.
const maxLateness = 4_000

/** The conditions of a stream. */
type Conditions = {
  readonly distance: Distance
  readonly health: Health
  /** The faults of the streams; undefined if there are none. */
  readonly faults: () => StreamFaults | undefined
}

export const makeStreams = (
  { after, now, trace }: EventLoop,
  servers: ReadonlyMap<string, Server>,
  { distance, health, faults: currentFaults }: Conditions,
  { covered }: Recorder,
  onAbort: OnAbort,
): Streams => {
  const open = new Map<string, number>()
  const count = (process: string, more: number): void =>
    void open.set(process, (open.get(process) ?? 0) + more)

  /** The body of a stream after the server has accepted the request. */
  const subscribe = (
    process: Process,
    server: Server,
    channel: string,
    signal: AbortSignal,
    faults: StreamFaults,
  ): ReadableStream<Uint8Array> => {
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own) })
    const { random } = process
    let isOver = false
    let lastAt = 0
    const encoder = new TextEncoder()
    /** Events arrive in the order in which they were sent. */
    const send = (run: () => void, lateness = 0): void => {
      lastAt = Math.max(
        lastAt,
        now() + distance.draw(process.random, process.name, server.name) + lateness,
      )
      after(lastAt - now(), () => process.run(() => void (isOver || run())))
    }
    const sendEvent = (event: string): void => {
      if (random.chance(faults.lost)) return covered('wake-up: a message is lost')
      const isLate = random.chance(faults.late)
      if (isLate) covered('wake-up: a message is late')
      const times = random.chance(faults.repeated) ? 2 : 1
      if (times > 1) covered('wake-up: a message is repeated')
      for (let time = 0; time < times; time++) {
        send(
          () => {
            trace.say(() => `${process.name} hears ${event}`)
            if (event.endsWith(',wake')) covered('wake-up: a waiter is woken')
            controller.enqueue(encoder.encode(`data: ${event}\n\n`))
          },
          isLate ? random.between(0, maxLateness) : 0,
        )
      }
      return undefined
    }
    const receive = (message: string): void => {
      if (health.of(process.name, server.name) === undefined) {
        sendEvent(`message,${channel},${message}`)
      }
    }
    const unsubscribe = server.channels.subscribe(channel, receive)
    onAbort(signal, () => {
      isOver = true
      controller.error(new Error('This operation was aborted'))
      after(distance.draw(process.random, process.name, server.name), unsubscribe)
    })
    if (faults.answers !== 'is silent') sendEvent(`subscribe,${channel},1`)
    if (faults.endsAfter < Infinity) {
      after(random.between(0, faults.endsAfter), () => {
        unsubscribe()
        send(() => {
          covered('wake-up: a stream ends')
          isOver = true
          controller.close()
        })
      })
    }
    return body
  }

  return {
    openOf: (process) => open.get(process) ?? 0,
    open: (process, url, signal) =>
      new Promise((resolve, reject) => {
        const [address = '', name = ''] = url.split('/subscribe/')
        const server = servers.get(address)!
        const channel = decodeURIComponent(name)
        const faults = currentFaults() ?? soundStreams
        trace.say(() => `${process.name}>${server.name} subscribes to ${channel}`)
        count(process.name, 1)
        onAbort(signal, () => {
          count(process.name, -1)
          reject(new Error('This operation was aborted'))
        })
        const respond = (status: number, type: string, body: ReadableStream | null): void =>
          resolve({ status, body, headers: new Headers({ 'content-type': type }) } as Response)
        const arrive = (): void => {
          const sickness = health.of(process.name, server.name)?.kind
          if (signal.aborted || sickness === 'hangs') return
          covered(`wake-up: a server ${faults.answers}`)
          if (faults.answers === 'hangs') return
          const isStream = faults.answers === 'streams' || faults.answers === 'is silent'
          const isWell = sickness === undefined || sickness === 'is late'
          const body =
            isStream && isWell ? subscribe(process, server, channel, signal, faults) : null
          const answer = (): void => {
            if (body) respond(200, 'text/event-stream', body)
            else respond(faults.answers === 'refuses' ? 404 : 200, 'application/json', null)
          }
          after(distance.draw(process.random, process.name, server.name), () => process.run(answer))
        }
        const isRefused = health.of(process.name, server.name)?.kind === 'refuses'
        if (isRefused) after(1, () => process.run(() => reject(new TypeError('fetch failed'))))
        else after(distance.draw(process.random, process.name, server.name), arrive)
      }),
  }
}
