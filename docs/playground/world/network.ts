import type { LockNode, ScriptCall } from '../../../src/index.ts'
import type { Answer } from '../../../src/quorum/tally.ts'
import { grantedSlot } from '../../../src/slots/reading.ts'
import { recordScript } from '../../../src/protocol/record-script.ts'
import { parseReply, type ReplyTuple } from '../../../src/protocol/reply.ts'
import { type Random, randomFrom } from '../../../tools/random.ts'
import type { EventLoop } from '../../../verification/simulation/engine/event-loop.ts'
import type { Process } from '../../../verification/simulation/engine/process.ts'
import { slotScript } from '../../../src/protocol/slot-script.ts'
import { waitScript } from '../../../src/protocol/wait-script.ts'
import { wakingReleaseScript } from '../../../src/protocol/waking-release-script.ts'
import type { Message, Operation } from './recording.ts'
import type { Recorder } from './recorder.ts'
import { answerOf, ownerOf } from './secrets.ts'
import { isRecordText, type Server } from './servers.ts'
import { isWaking, type Settings } from './settings.ts'
import { addStreams } from './streams.ts'

const operations: Readonly<Record<string, Operation>> = {
  a: 'acquire',
  e: 'extend',
  r: 'release',
  i: 'look',
  c: 'record',
  w: 'queue',
  l: 'leave',
}

/** An acquire by the script of records asks for a promise, which a record does not refuse. */
const operationOf = ({ script, args: [operation] }: ScriptCall): Operation =>
  operation === 'a' && script.sha === recordScript.sha ? 'promise' : operations[operation]!

/** The slot that a call asks for, from 0 on; undefined where it asks for any, or for a lock. */
const wantedSlot = ({ script, args }: ScriptCall): number | undefined => {
  const [, slot] = (script.sha === slotScript.sha && /^only (\d+)$/.exec(args[5] ?? '')) || []
  return slot === undefined ? undefined : Number(slot) - 1
}

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

  /** Lets the node execute the script, and writes down what it answered. */
  const vote = async (
    { node, waiters }: Server,
    message: Message,
    call: ScriptCall,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const reply = (await node.run(call, signal)) as ReplyTuple
    const { status, holder, left } = parseReply(reply)
    message.verdict = status === 'unfit' ? 'failed' : status
    if (status === 'locked') {
      const isRecord = isRecordText(holder)
      if (isRecord) message.verdict = 'recorded'
      message.holder = isRecord ? answerOf(holder) : ownerOf(holder).client
    } else if (status === 'granted' && call.script.sha === slotScript.sha) {
      message.slot = grantedSlot({ status, ttl: left } as Answer)! - 1
    }
    if (call.script.sha !== wakingReleaseScript.sha) return reply
    const isWoken = status === 'granted' && waiters.wakeFirst()
    // The field for it follows the identity.
    return reply.length === 6 ? [...reply, isWoken ? 1 : 0] : reply
  }

  /** Lets a client join or leave the queue of the node. */
  const queueUp = async (
    { gate, waiters, state }: Server,
    message: Message,
    { args }: ScriptCall,
    signal: AbortSignal,
  ): Promise<unknown> => {
    await gate.arrive(signal)
    const [operation, id, since] = args as readonly string[]
    if (operation === 'w') waiters.join(id!, message.client, Number(since))
    else waiters.leave(id!)
    message.verdict = 'queued'
    return [`${operation}${id}`, state().slots[0]!.holder === undefined ? 1 : 0]
  }

  const ask = async (index: number, message: Message, call: ScriptCall, signal: AbortSignal) => {
    const server = servers[index]!
    try {
      const answer = call.script.sha === waitScript.sha ? queueUp : vote
      return await answer(server, message, call, signal)
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
    const sent = (operation: Operation, attempt = 0): Message =>
      recorder.sent({ client, to: index, operation, attempt })
    const node: LockNode = {
      name: server.node.name,
      volatile: server.node.volatile,
      run: (call, signal) => {
        const isOfLock = call.script.sha !== waitScript.sha
        const message = sent(operationOf(call), isOfLock ? ownerOf(call.args[1]).attempt : 0)
        message.wanted = wantedSlot(call)
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
