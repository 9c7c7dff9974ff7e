import type { LockNode, ScriptCall } from '../../../src/index.ts'
import { recordScript } from '../../../src/protocol/record-script.ts'
import { parseReply, type ReplyTuple } from '../../../src/protocol/reply.ts'
import { type Random, randomFrom } from '../../../tools/random.ts'
import type { EventLoop } from '../../../verification/simulation/engine/event-loop.ts'
import type { Process } from '../../../verification/simulation/engine/process.ts'
import type { Message, Operation } from './recording.ts'
import type { Recorder } from './recorder.ts'
import { answerOf, ownerOf } from './secrets.ts'
import { isRecordText, type Server } from './servers.ts'
import type { Settings } from './settings.ts'

const operations: Readonly<Record<string, Operation>> = {
  a: 'acquire',
  e: 'extend',
  r: 'release',
  i: 'look',
  c: 'record',
}

/** An acquire by the script of records asks for a promise, which a record does not refuse. */
const operationOf = ({ script, args: [operation] }: ScriptCall): Operation =>
  operation === 'a' && script.sha === recordScript.sha ? 'promise' : operations[operation]!

// The store is near.
const storeLatency = 20

// Each way takes between so many times half a round trip.
const [fastest, slowest] = [0.75, 1.25]

/** The network between the clients and the servers. It keeps no order, and loses nothing. */
export const makeNetwork = (
  loop: EventLoop,
  { seed, latency }: Settings,
  servers: readonly Server[],
  recorder: Recorder,
) => {
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
    const { node, state } = servers[index]!
    try {
      const reply = (await node.run(call, signal)) as ReplyTuple
      const { status, holder } = parseReply(reply)
      message.verdict = status === 'unfit' ? 'failed' : status
      if (status === 'locked') {
        const isRecord = isRecordText(holder)
        if (isRecord) message.verdict = 'recorded'
        message.holder = isRecord ? answerOf(holder) : ownerOf(holder).client
      }
      return reply
    } catch (error) {
      message.verdict = 'failed'
      throw error
    } finally {
      recorder.node(index, state())
    }
  }

  return {
    underWay: () => underWay,
    deliver,
    wayToStore: (client: number) => wayOf(client, servers.length),
    /** The nodes as a client reaches them. */
    nodesOf: (process: Process, client: number): LockNode[] =>
      servers.map(({ node }, index) => {
        const way = wayOf(client, index)
        return {
          name: node.name,
          volatile: node.volatile,
          run: (call, signal) => {
            const [, owner] = call.args
            const message = recorder.sent({
              client,
              to: index,
              operation: operationOf(call),
              attempt: ownerOf(owner).attempt,
            })
            const answer = deliver(process, message, way, () => ask(index, message, call, signal))
            return orGiveUp(message, answer, signal)
          },
        }
      }),
  }
}

export type Network = ReturnType<typeof makeNetwork>
