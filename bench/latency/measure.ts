import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import type { NetworkCondition } from './conditions.ts'

/** The ms that an acquire took, and the ms until the quorum-th fastest of its replies. */
type Timed = { readonly took: number; readonly minimum: number }

/** The acquires of one contestant. */
export type Acquires = {
  readonly contestant: string
  readonly timed: Timed[]
  /** How many had not settled after a second, and how many failed. */
  unanswered: number
  failed: number
}

/** A contestant whose replies are timed when they reach the client. */
export type MeasuredClient = {
  readonly acquires: Acquires
  /** Acquires a fresh key and releases it. */
  readonly acquireOnce: () => Promise<void>
  readonly close: () => void
}

const ttl = 30_000
const timeLimit = 1000

// Gives up on a contestant that has never replied.
const maxUnanswered = 10

/** When each node sent its first reply to an acquire, in order of arrival. */
type Arrivals = Map<FaultyNode, number>

/** Opens a client of the contestant under a network condition. */
export const openMeasured = async (
  contestant: Contestant,
  addresses: readonly Address[],
  { usual, first = usual }: NetworkCondition,
): Promise<MeasuredClient> => {
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
  const acquires: Acquires = { contestant: contestant.name, timed: [], unanswered: 0, failed: 0 }
  let arrivals: Arrivals = new Map()
  for (const node of nodes) {
    const fault = node === nodes[0] ? first : usual
    node.fault = async (request, send) => {
      // A late reply belongs to the acquire that sent the request.
      const own = arrivals
      const reply = await fault(request, send)
      if (!own.has(node)) own.set(node, performance.now())
      return reply
    }
  }

  const acquireOnce = async (): Promise<void> => {
    if (acquires.timed.length === 0 && acquires.unanswered >= maxUnanswered) return
    const own: Arrivals = (arrivals = new Map())
    const begun = performance.now()
    const acquiring = session
      .acquire([randomUUID()])
      .then((hold) => ({ hold, took: performance.now() - begun }))
    const outcome = await settle(acquiring, timeLimit)
    arrivals = new Map()
    if (outcome.state === 'pending') acquires.unanswered++
    else if (outcome.state === 'rejected') acquires.failed++
    else {
      const { hold, took } = outcome.value
      const decisive = [...own.values()][quorum - 1]
      if (decisive === undefined) throw new Error(`${contestant.name} acquired without a quorum`)
      acquires.timed.push({ took, minimum: decisive - begun })
      await settle(hold.release(), timeLimit)
    }
  }
  return { acquires, acquireOnce, close: session.close }
}

/** Loads the scripts into the servers, and gets the hot code compiled. */
const warmUp = async (session: Session): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await (await session.acquire([randomUUID()])).release()
}
