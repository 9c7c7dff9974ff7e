import type { Random } from '../../../tools/random.ts'
import type { Recorder } from '../checks/recorder.ts'
import type { FaultRates } from '../workload/fault-rates.ts'
import type { Distance } from './distance.ts'
import type { EventLoop } from './event-loop.ts'
import type { Health } from './health.ts'
import type { NetworkFaults } from './network-faults.ts'
import type { Process } from './process.ts'
import type { Reply, Server, ServerRequest } from './server.ts'

/** Delivers requests to servers, and replies to processes. */
export type Delivery = {
  readonly deliver: (
    process: Process,
    url: string,
    init: RequestInit,
    answer: (reply: Reply) => void,
    fail: (why?: string) => void,
  ) => void
  /** The number of requests that have been sent but not yet executed. */
  readonly requestsUnderWay: () => number
}

/** The conditions that determine the delay and the loss of a message. */
export type Conditions = {
  readonly rates: FaultRates
  readonly distance: Distance
  readonly faults: NetworkFaults
  readonly health: Health
  readonly recorder: Recorder
}

const readRequest = (init: RequestInit): ServerRequest => ({
  method: init.method!,
  authorization: (init.headers as Record<string, string>)['authorization']!,
  words: JSON.parse(init.body as string) as string[],
})

export const makeDelivery = (
  { after, random: loopRandom, trace }: EventLoop,
  servers: ReadonlyMap<string, Server>,
  { rates, distance, faults, health, recorder }: Conditions,
): Delivery => {
  const { happens, isBlocked } = faults
  let requestsUnderWay = 0

  const delay = (
    random: Random,
    process: string,
    server: string,
    direction: 'there' | 'back',
  ): number => {
    const sickness = health.of(process, server)
    const late =
      sickness?.kind === 'is late'
        ? sickness[direction] * random.between(1 - sickness.spread, 1 + sickness.spread)
        : 0
    return late + (faults.slowDelay(random) ?? distance.draw(random, process, server))
  }

  const deliver: Delivery['deliver'] = (process, url, init, answer, fail) => {
    const server = servers.get(url)!
    const request = readRequest(init)
    const { name, id, value } = recorder.requestSent(process.name, server.name, request.words)
    const random = loopRandom.fork(id)
    const link = `${process.name}>${server.name}`
    trace.say(() => `${link} ${request.words.slice(2).join(' ')}`)
    const isRefused = health.of(process.name, server.name)?.kind === 'refuses'
    if (isRefused || happens(random, rates.refused)) {
      recorder.covered('refused connection')
      after(random.between(0.1, 2), fail)
      return
    }
    // The connection is reset: the request is lost, or the server executes it although the client receives an error.
    const isReset = happens(random, rates.reset)
    if (isReset) {
      recorder.covered('connection reset')
      const time = delay(random, process.name, server.name, 'there')
      after(random.between(0, 2) * time, () => fail('read ECONNRESET'))
      if (random.chance(0.4)) return
    }
    if (isBlocked(link) || isBlocked(server.name) || happens(random, rates.requestLost)) {
      recorder.covered('lost request')
      trace.say(() => `${name}: lost`)
      return
    }
    const arrive = (isAnswered: boolean): void => {
      requestsUnderWay++
      const handle = (): Reply => {
        trace.say(() => name)
        return server.handle(request)
      }
      const reply = (own: Reply): void => {
        if (!isAnswered || isReset) return
        if (isBlocked(link) || happens(random, rates.replyLost)) {
          recorder.covered('lost reply')
          trace.say(() => `  its reply is lost`)
          return
        }
        const distorted = faults.distort(random, server.name, value, own)
        const receive = (): void => {
          recorder.answerReceived(value)
          answer(distorted)
        }
        after(delay(random, process.name, server.name, 'back'), () => process.run(receive))
      }
      after(delay(random, process.name, server.name, 'there'), () => {
        requestsUnderWay--
        if (!isBlocked(server.name)) health.receive(process.name, server.name, handle, reply)
      })
    }
    arrive(true)
    if (happens(random, rates.duplicated)) {
      recorder.covered('duplicate request')
      arrive(false)
      if (random.chance(0.3)) arrive(false)
    }
  }
  return { deliver, requestsUnderWay: () => requestsUnderWay }
}
