import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { remote } from '../shared/distance.ts'

/** What is done, in the order of the columns. */
export const steps = [
  'acquire and release',
  'rejection',
  'throttle pass',
  'throttle rejection',
  'rejected again',
] as const

/** How many commands each step of one contestant costs, with everything that follows from it. */
export type Costs = {
  readonly contestant: string
  readonly nodes: number
  /** Whether its throttle is a lock that is not released. */
  readonly isEmulated: boolean
  readonly costs: { readonly [step in (typeof steps)[number]]: number }
}

const ttl = 30_000
const window = 30_000

/** The commands so far, once no more of them come. One way takes 10 ms at most. */
const quiet = async (nodes: readonly FaultyNode[]): Promise<number> => {
  const count = (): number => nodes.reduce((sum, { sent }) => sum + sent, 0)
  for (let seen = -1; seen !== count(); await sleep(60)) seen = count()
  return count()
}

/** One client with a way of its own to the servers, which know its scripts. */
const clientOf = async (
  contestant: Contestant,
  addresses: readonly Address[],
): Promise<{ session: Session; nodes: FaultyNode[] }> => {
  const nodes = addresses.map(faultyNode)
  const setup = { nodes, ttl, retries: 0, timeout: undefined, quorum: undefined }
  const session = await contestant.open(setup)
  await (await session.acquire([randomUUID()])).release()
  for (const node of nodes) node.fault = remote
  return { session, nodes }
}

/** Whether the throttle lets it pass. @throws what is no refusal. */
const passes = async (session: Session, key: string): Promise<boolean> =>
  session.throttle
    ? session.throttle(key, window)
    : (await settle(session.acquire([key]), ttl)).state === 'resolved'

const expect = (isSo: boolean, step: string, { name }: Contestant): void => {
  if (!isSo) throw new Error(`${name}: ${step} did not come out as such`)
}

/** Plays every step so many times; another client of the same library holds what is held. */
export const costsOf = async (
  contestant: Contestant,
  addresses: readonly Address[],
  cycles: number,
): Promise<Costs> => {
  const { session, nodes } = await clientOf(contestant, addresses)
  const other = await clientOf(contestant, addresses)
  try {
    const costs = Object.fromEntries(steps.map((step) => [step, 0])) as Record<
      (typeof steps)[number],
      number
    >
    const measure = async (
      step: (typeof steps)[number],
      work: () => Promise<boolean>,
    ): Promise<void> => {
      const before = await quiet(nodes)
      expect(await work(), step, contestant)
      costs[step] += ((await quiet(nodes)) - before) / cycles
    }
    for (let cycle = 0; cycle < cycles; cycle++) {
      const key = randomUUID()
      await measure('acquire and release', async () => {
        await (await session.acquire([key])).release()
        return true
      })
      const held = await other.session.acquire([key])
      await measure('rejection', async () => {
        return (await settle(session.acquire([key]), ttl)).state === 'rejected'
      })
      await held.release()
      await measure('throttle pass', () => passes(session, randomUUID()))
      const closed = randomUUID()
      await passes(other.session, closed)
      // For a second after it was seen first, who has the window may yet fail; so at once.
      await measure('throttle rejection', async () => !(await passes(session, closed)))
      await measure('rejected again', async () => !(await passes(session, closed)))
    }
    const { name } = contestant
    return { contestant: name, nodes: nodes.length, isEmulated: !session.throttle, costs }
  } finally {
    session.close()
    other.session.close()
  }
}
