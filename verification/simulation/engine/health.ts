import type { EventLoop } from './event-loop.ts'
import type { Reply } from './server.ts'

/** The effect of a faulty server on requests. */
export type Sickness =
  /** The server does not reply. It executes requests never, immediately, or after its recovery, when it also replies. */
  | { readonly kind: 'hangs'; readonly executes: 'never' | 'at once' | 'later' }
  /** Messages take about this many ms longer: requests by `there`, replies by `back`. `spread` is a share. */
  | {
      readonly kind: 'is late'
      readonly there: number
      readonly back: number
      readonly spread: number
    }
  /** The server refuses connections. */
  | { readonly kind: 'refuses' }
  /** The gateway responds with an error, before or after the server has executed the request. */
  | { readonly kind: 'rejects'; readonly executes: boolean }

/** The faulty servers, and the processes that they affect. */
export type Health = {
  /** Makes a server faulty, for all processes or for some. */
  readonly strike: (
    server: string,
    sickness: Sickness,
    affects?: (process: string) => boolean,
  ) => void
  readonly cure: (server: string) => void
  readonly cureAll: () => void
  /** Returns the server's fault that affects the process; undefined if there is none. */
  readonly of: (process: string, server: string) => Sickness | undefined
  /** Delivers a request to a server: `handle` executes it, and `answer` sends the reply. */
  readonly receive: (
    process: string,
    server: string,
    handle: () => Reply,
    answer: (reply: Reply) => void,
  ) => void
}

type Case = { readonly sickness: Sickness; readonly affects: (process: string) => boolean }

const rejection: Reply = { status: 503, body: '{"error":"upstream unavailable"}' }

export const makeHealth = ({ trace }: EventLoop): Health => {
  const cases = new Map<string, Case>()
  // By server: the requests to execute after its recovery, in order of arrival.
  const stalled = new Map<string, (() => void)[]>()
  const of: Health['of'] = (process, server) => {
    const found = cases.get(server)
    return found?.affects(process) ? found.sickness : undefined
  }
  const cure = (server: string): void => {
    if (!cases.delete(server)) return
    trace.say(() => `${server} recovers`)
    const requests = stalled.get(server) ?? []
    stalled.delete(server)
    for (const execute of requests) execute()
  }
  return {
    of,
    strike: (server, sickness, affects = () => true) => {
      cure(server)
      trace.say(() => `${server} is sick: ${JSON.stringify(sickness)}`)
      cases.set(server, { sickness, affects })
    },
    cure,
    cureAll: () => [...cases.keys()].forEach(cure),
    receive: (process, server, handle, answer) => {
      const sickness = of(process, server)
      if (sickness?.kind === 'rejects') {
        if (sickness.executes) handle()
        answer(rejection)
      } else if (sickness?.kind !== 'hangs') answer(handle())
      else if (sickness.executes === 'at once') handle()
      else if (sickness.executes === 'later') {
        stalled.set(server, [...(stalled.get(server) ?? []), () => answer(handle())])
      }
    },
  }
}
