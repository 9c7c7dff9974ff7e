import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { remote } from '../shared/distance.ts'

/** The measured steps in the order of the columns. */
export const steps = [
  'acquire and release',
  'rejection',
  'throttle pass',
  'throttle rejection',
  'rejected again',
] as const

/** The commands that each step of one contestant costs, including those that follow later. */
export type Costs = {
  readonly contestant: string
  readonly nodes: number
  /** Whether it has no throttle, and a lock that is not released stands in for one. */
  readonly isEmulated: boolean
  readonly costs: { readonly [step in (typeof steps)[number]]: number }
}

const ttl = 30_000
const window = 30_000

/** The commands sent so far, once no further ones follow. A way takes 10 ms at most. */
const settledCommands = async (nodes: readonly FaultyNode[]): Promise<number> => {
  const count = (): number => nodes.reduce((sum, { sent }) => sum + sent, 0)
  for (let seen = -1; seen !== count(); await sleep(60)) seen = count()
  return count()
}

/** Opens a client whose scripts are loaded, and puts a distance before its nodes. */
const openClient = async (
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

/** Whether the throttle admits the call. @throws an error that is no rejection. */
const passes = async (session: Session, key: string): Promise<boolean> =>
  session.throttle
    ? session.throttle(key, window)
    : (await settle(session.acquire([key]), ttl)).state === 'resolved'

const assertOutcome = (isExpected: boolean, step: string, { name }: Contestant): void => {
  if (!isExpected) throw new Error(`${name}: ${step} had another outcome`)
}

/** Measures every step `cycles` times. Another client of the same library holds the lock. */
export const costsOf = async (
  contestant: Contestant,
  addresses: readonly Address[],
  cycles: number,
): Promise<Costs> => {
  const { session, nodes } = await openClient(contestant, addresses)
  const other = await openClient(contestant, addresses)
  try {
    const costs = Object.fromEntries(steps.map((step) => [step, 0])) as Record<
      (typeof steps)[number],
      number
    >
    const measure = async (
      step: (typeof steps)[number],
      work: () => Promise<boolean>,
    ): Promise<void> => {
      const before = await settledCommands(nodes)
      assertOutcome(await work(), step, contestant)
      costs[step] += ((await settledCommands(nodes)) - before) / cycles
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
      // At once, since a client that has just taken the window may still fail for up to a second.
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
