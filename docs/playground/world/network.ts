import type { LockNode } from '../../../src/index.ts'
import type { ScriptCall } from '../../../src/protocol/script.ts'
import { type Random, randomFrom } from '../../../tools/random.ts'
import type { EventLoop } from '../../../verification/simulation/engine/event-loop.ts'
import type { Process } from '../../../verification/simulation/engine/process.ts'
import { execute, requestOf } from './execute.ts'
import type { Message, Push } from './recording.ts'
import type { Recorder } from './recorder.ts'
import type { Server } from './servers.ts'
import { isWaking, type Settings } from './settings.ts'
import { addStreams } from './streams.ts'

// The store is near.
const storeLatency = 20

// Each way takes between so many times half a round trip.
const [fastest, slowest] = [0.75, 1.25]

/** The network between the clients and the servers. It keeps no order, and loses nothing. */
export const makeNetwork = (
  loop: EventLoop,
  settings: Settings,
  servers: readonly Server[],
  recorder: Recorder,
) => {
  const { seed, latency } = settings
  const { now } = recorder
  let underWay = 0

  /** Each link has random numbers of its own, so that a fault in one changes no delay of another. */
  const wayOf = (client: number, receiver: number): (() => number) => {
    const random: Random = randomFrom(seed * 10_000 + client * 10 + receiver)
    const roundTrip = latency[receiver] ?? storeLatency
    return () => (roundTrip / 2) * random.between(fastest, slowest)
  }

  /** Takes a message to its receiver, and the answer back. */
  const deliver = async <T>(
    process: Process,
    message: Message,
    way: () => number,
    execute: () => Promise<T>,
  ): Promise<T> => {
    underWay++
    const [there, back] = [way(), way()]
    await new Promise<void>((resolve) => {
      loop.after(there, () => {
        loop.wake()
        message.arrivedAt = now()
        resolve()
      })
    })
    const outcome = await execute().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    message.executedAt = now()
    return new Promise<T>((resolve, reject) => {
      loop.after(back, () => {
        underWay--
        message.answeredAt = now()
        process.run(() => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value)))
      })
    })
  }

  /** Rejects as soon as the client gives up. The request goes on, as a real one would. */
  const orGiveUp = <T>(message: Message, answer: Promise<T>, signal: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        if (message.answeredAt === undefined) message.givenUpAt ??= now()
        reject(signal.reason)
      })
      answer.then(resolve, reject)
    })

  const ask = async (index: number, message: Message, call: ScriptCall, signal: AbortSignal) => {
    const server = servers[index]!
    try {
      return await execute(server, message, call, signal)
    } catch (error) {
      message.verdict = 'failed'
      throw error
    } finally {
      recorder.node(index, server.state())
    }
  }

  /** Takes what a node sends over a stream to the client. */
  const push = (
    process: Process,
    message: Message,
    way: () => number,
    arrive: () => void,
  ): void => {
    underWay++
    message.executedAt = now()
    loop.after(way(), () => {
      underWay--
      message.answeredAt = now()
      process.run(arrive)
    })
  }

  /** A node as a client reaches it. */
  const nodeOf = (process: Process, client: number, index: number): LockNode => {
    const server = servers[index]!
    const way = wayOf(client, index)
    const sent = (what: ScriptCall | 'subscribe' | Push): Message => {
      const request = typeof what === 'string' ? { operation: what, attempt: 0 } : requestOf(what)
      return recorder.sent({ client, to: index, ...request })
    }
    const node: LockNode = {
      name: server.node.name,
      volatile: server.node.volatile,
      eval: (script, keys, args, signal) => {
        const call = { script, keys, args: args as ScriptCall['args'] }
        const message = sent(call)
        const answer = deliver(process, message, way, () => ask(index, message, call, signal))
        return orGiveUp(message, answer, signal)
      },
    }
    if (isWaking(settings)) {
      addStreams(node, server, {
        subscribe: (signal, open) => {
          const message = sent('subscribe')
          const answer = deliver(process, message, way, async () => {
            try {
              await server.gate.arrive(signal)
              message.verdict = 'open'
              return open()
            } catch (error) {
              message.verdict = 'failed'
              throw error
            }
          })
          return orGiveUp(message, answer, signal)
        },
        push: (operation, arrive) => push(process, sent(operation), way, arrive),
        later: (happen) => void loop.after(way(), happen),
        run: process.run,
      })
    }
    return node
  }

  return {
    underWay: () => underWay,
    deliver,
    wayToStore: (client: number) => wayOf(client, servers.length),
    /** The nodes as a client reaches them. */
    nodesOf: (process: Process, client: number): LockNode[] =>
      servers.map((_, index) => nodeOf(process, client, index)),
  }
}

export type Network = ReturnType<typeof makeNetwork>
