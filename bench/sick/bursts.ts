import { randomUUID } from 'node:crypto'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import type { Address } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { type Clients, openClients } from '../contention/clients.ts'
import { type Burst, type BurstFigures, figuresOf } from '../shared/burst-figures.ts'
import { faultOf } from './faults.ts'
import { type Ratios, ratiosOf } from './ratios.ts'
import { nameOf, type SickNode } from './sick-node.ts'

/** Bursts of one contestant with all nodes well, and with one of them sick. */
export type SickBursts = {
  readonly contestant: string
  readonly size: number
  readonly condition: string
  readonly well: BurstFigures
  readonly sick: BurstFigures
  readonly ratios: Ratios
}

export type BurstOptions = {
  readonly bursts: number
  /** Ms after which a client is not waited for. */
  readonly limit: number
  /** Ms without a request after which none is expected. */
  readonly quiet: number
}

const options = { ttl: 30_000, retries: 0 }

/** One burst: all clients acquire at the same moment. Winners release once all have answers. */
const runBurst = async ({ sessions }: Clients, limit: number): Promise<Burst> => {
  const key = randomUUID()
  const begun = performance.now()
  const outcomes = await Promise.all(
    sessions.map(async (session) => {
      const acquiring = session.acquire([key])
      const outcome = await settle(acquiring, limit)
      const took = performance.now() - begun
      // A client that is no longer waited for must not keep the lock.
      if (outcome.state === 'pending') acquiring.then((hold) => hold.release()).catch(() => {})
      return { outcome, took }
    }),
  )
  const won = outcomes.flatMap(({ outcome, took }) =>
    outcome.state === 'resolved' ? [{ hold: outcome.value, took }] : [],
  )
  await Promise.all(won.map(({ hold }) => settle(hold.release(), limit)))
  return {
    winners: won.map(({ took }) => took),
    answers: outcomes.map(({ outcome, took }) => (outcome.state === 'pending' ? Infinity : took)),
  }
}

/** Bursts in one condition so far. */
type Side = {
  /** The clients of the next burst. */
  readonly next: () => Promise<Clients>
  readonly bursts: Burst[]
  /** The requests of all bursts, once none has followed for some ms. */
  readonly requests: (quiet: number) => Promise<number>
}

/** The same clients come to every burst. Their connections are open. */
const knownSide = async (open: () => Promise<Clients>): Promise<Side> => {
  const clients = await open()
  const before = await clients.settled()
  return {
    next: async () => clients,
    bursts: [],
    requests: async (quiet) => (await clients.settled(quiet)) - before,
  }
}

/** Other clients come to each burst. */
const freshSide = (open: () => Promise<Clients>): Side => {
  const opened: Clients[] = []
  return {
    next: async () => {
      const clients = await open()
      opened.push(clients)
      return clients
    },
    bursts: [],
    requests: async (quiet) => {
      const counts = await Promise.all(opened.map(({ settled }) => settled(quiet)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

const hasNoAnswer = ({ answers }: Burst): boolean => answers.every((time) => time === Infinity)

// Bursts without any answer, after which a contestant is not asked again.
const maxUnanswered = 3

/**
 * Measures bursts with all nodes well in turn with bursts with each of the sick nodes, each by clients
 * of their own. Clients that give no answer at all are not asked again and again.
 *
 * @param isFresh - Whether each burst has new clients, whose process knows nothing of the nodes.
 */
export const measureSick = async (
  contestant: Contestant,
  addresses: readonly Address[],
  size: number,
  nodes: readonly SickNode[],
  { bursts, limit, quiet }: BurstOptions,
  isFresh = false,
): Promise<SickBursts[]> => {
  await using opened = new AsyncDisposableStack()
  const sideOf = (node?: SickNode): Side | Promise<Side> => {
    const fault = node && faultOf(node)
    const open = async (): Promise<Clients> => {
      const clients = await openClients(contestant, addresses, size, options, fault, isFresh)
      opened.defer(clients.close)
      return clients
    }
    return isFresh ? freshSide(open) : knownSide(open)
  }
  const sides = [await sideOf()]
  for (const node of nodes) sides.push(await sideOf(node))
  for (let turn = 0; turn < bursts; turn++) {
    // Backwards every other time, so that no condition always follows the same one.
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      if (side.bursts.filter(hasNoAnswer).length === maxUnanswered) continue
      side.bursts.push(await runBurst(await side.next(), limit))
    }
  }
  const [well, ...sick] = await Promise.all(
    sides.map(async ({ bursts: all, requests }) => figuresOf(all, await requests(quiet))),
  )
  return nodes.map((node, index) => ({
    contestant: contestant.name,
    size,
    condition: nameOf(node),
    well: well!,
    sick: sick[index]!,
    ratios: ratiosOf(sick[index]!, well!),
  }))
}
