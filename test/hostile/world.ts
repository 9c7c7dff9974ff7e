import { Redlock, type RedlockOptions } from '../../src/index.ts'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import type { MemoryServer } from '../../src/memory/memory-server.ts'
import { type ReplyTuple, runScript } from '../../tools/redis-wire.ts'
import type { Answer } from './answers.ts'
import { judge, type Vote, type Wire } from './judge.ts'
import type { Transport } from './transport.ts'

/** The behaviour of a hostile node. */
export type Behaviour = {
  readonly answer: Answer
  readonly transport: Transport
  /** Whether the transport delivers the answer. */
  readonly isDelivered: boolean
}

/** Three servers behind a stubbed `fetch`, and the votes that they have sent. */
export type World = {
  readonly redlock: Redlock
  /** All votes that were delivered, as the judge parsed them. */
  readonly votes: Vote[]
  /** The number of answers that are no votes. */
  readonly malformed: () => number
  /** Sets the behaviour of the nodes from now on; undefined is an honest node. */
  readonly become: (behaviours: readonly (Behaviour | undefined)[]) => void
}

const replyTo = (server: MemoryServer, words: readonly string[]): ReplyTuple => {
  const first = 3 + Number(words[2])
  return runScript(server, lockScript, words.slice(3, first), words.slice(first)) as ReplyTuple
}

const tokens = [0, 1, 2].map((node) => `token-${node}-${crypto.randomUUID()}`)

export const makeWorld = (options: Partial<RedlockOptions> = {}): World => {
  const votes: Vote[] = []
  let malformed = 0
  let behaviours: readonly (Behaviour | undefined)[] = []
  const nodes = [0, 1, 2].map((node) => {
    const server: MemoryServer = { entries: new Map(), now: Date.now, run: () => `run_id:${node}` }
    let earlier: readonly unknown[] = []
    const ask = async (_: unknown, init?: RequestInit): Promise<Response> => {
      const words = JSON.parse(init!.body as string) as string[]
      const valid = replyTo(server, words)
      const asked = { words, valid, earlier }
      const behaviour = behaviours[node]
      earlier = valid
      const wire: Wire = behaviour?.answer.make(asked) ?? {
        status: 200,
        body: JSON.stringify({ result: valid }),
      }
      const vote =
        behaviour?.isDelivered === false
          ? undefined
          : judge(node, words, wire, behaviour?.transport.maxLength)
      if (vote) votes.push(vote)
      else malformed++
      return behaviour ? behaviour.transport.send(wire) : Response.json({ result: valid })
    }
    return { url: `http://node-${node}.example`, token: tokens[node]!, fetch: ask }
  })
  return {
    redlock: new Redlock({ nodes, retry: { attempts: 1 }, ttl: 60_000, ...options }),
    votes,
    malformed: () => malformed,
    become: (next) => (behaviours = next),
  }
}
