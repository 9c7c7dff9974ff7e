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

/** The clients of one condition, their bursts so far, and what they had sent before. */
type Side = { readonly clients: Clients; readonly bursts: Burst[]; readonly before: number }

const hasNoAnswer = ({ answers }: Burst): boolean => answers.every((time) => time === Infinity)

// Bursts without any answer, after which a contestant is not asked again.
const maxUnanswered = 3

/**
 * Measures bursts with all nodes well in turn with bursts with each of the sick nodes, each by clients
 * of their own. Clients that give no answer at all are not asked again and again.
 */
export const measureSick = async (
  contestant: Contestant,
  addresses: readonly Address[],
  size: number,
  nodes: readonly SickNode[],
  { bursts, limit, quiet }: BurstOptions,
): Promise<SickBursts[]> => {
  await using opened = new AsyncDisposableStack()
  const open = async (node?: SickNode): Promise<Side> => {
    const clients = await openClients(contestant, addresses, size, options, node && faultOf(node))
    opened.defer(clients.close)
    return { clients, bursts: [], before: await clients.settled() }
  }
  const sides = [await open()]
  for (const node of nodes) sides.push(await open(node))
  for (let turn = 0; turn < bursts; turn++) {
    // Backwards every other time, so that no condition always follows the same one.
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      if (side.bursts.filter(hasNoAnswer).length === maxUnanswered) continue
      side.bursts.push(await runBurst(side.clients, limit))
    }
  }
  const [well, ...sick] = await Promise.all(
    sides.map(async ({ clients, bursts: all, before }) =>
      figuresOf(all, (await clients.settled(quiet)) - before),
    ),
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
