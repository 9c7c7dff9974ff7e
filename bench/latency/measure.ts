import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import type { Weather } from './weather.ts'

/** An acquire: ms it took, and ms after which the quorum-th fastest of its replies was there. */
export type Timed = { readonly took: number; readonly minimum: number }

/** What became of the tries of one contestant. */
export type Tries = {
  readonly contestant: string
  readonly timed: Timed[]
  /** How many had not settled after a second, and how many failed. */
  unanswered: number
  failed: number
}

const ttl = 30_000
const patience = 1000

// Of a contestant that has not answered so often, and never did, more tries would tell no more.
const mostUnanswered = 10

/** One contestant, whose every reply is seen on its way. */
export type Player = {
  readonly tries: Tries
  /** One acquire of a fresh key, and its release to the end. */
  readonly play: () => Promise<void>
  readonly close: () => void
}

/** Ms at which each node replied first to one acquire, in order of arrival. */
type Arrivals = Map<FaultyNode, number>

export const enter = async (
  contestant: Contestant,
  addresses: readonly Address[],
  { usual, first = usual }: Weather,
): Promise<Player> => {
  const nodes = addresses.map(faultyNode)
  const quorum = (nodes.length >> 1) + 1
  const session = await contestant.open({
    nodes,
    ttl,
    retries: 0,
    timeout: undefined,
    quorum: undefined,
  })
  await warmUp(session)
  const tries: Tries = { contestant: contestant.name, timed: [], unanswered: 0, failed: 0 }
  let arrivals: Arrivals = new Map()
  for (const node of nodes) {
    const fault = node === nodes[0] ? first : usual
    node.fault = async (send, about) => {
      // What comes in late belongs to the acquire that has asked for it.
      const own = arrivals
      const reply = await fault(send, about)
      if (!own.has(node)) own.set(node, performance.now())
      return reply
    }
  }

  const play = async (): Promise<void> => {
    if (tries.timed.length === 0 && tries.unanswered >= mostUnanswered) return
    const own: Arrivals = (arrivals = new Map())
    const begun = performance.now()
    const acquiring = session
      .acquire([randomUUID()])
      .then((hold) => ({ hold, took: performance.now() - begun }))
    const outcome = await settle(acquiring, patience)
    arrivals = new Map()
    if (outcome.state === 'pending') tries.unanswered++
    else if (outcome.state === 'rejected') tries.failed++
    else {
      const { hold, took } = outcome.value
      const decisive = [...own.values()][quorum - 1]
      if (decisive === undefined) throw new Error(`${contestant.name} acquired without a quorum`)
      tries.timed.push({ took, minimum: decisive - begun })
      await settle(hold.release(), patience)
    }
  }
  return { tries, play, close: session.close }
}

/** So that the servers know the scripts, and what runs often is compiled. */
const warmUp = async (session: Session): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await (await session.acquire([randomUUID()])).release()
}
