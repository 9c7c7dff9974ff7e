import { randomUUID } from 'node:crypto'
import type {
  Contestant,
  Session,
  Setup,
} from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { watchCommands } from '../../tools/servers/executed.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { remote } from '../shared/distance.ts'
import { passes } from '../shared/throttle.ts'

/** The measured steps in the order of the columns. */
export const steps = [
  'acquire and release',
  'rejection',
  'throttle pass',
  'throttle rejection',
  'rejected again',
] as const

export type Step = (typeof steps)[number]

/** The cost of one step. */
type Cost = {
  /** The commands that the library sends, including later ones; a script counts as one. */
  readonly sent: number
  /** The commands that the servers execute for them, including those inside scripts. */
  readonly executed: number
}

/** The costs of one contestant, without the steps that it does not support. */
export type Costs = {
  readonly contestant: string
  readonly nodes: number
  /** Whether the library has no throttle: then an unreleased lock replaces it. */
  readonly isEmulated: boolean
  readonly costs: { readonly [step in Step]?: Cost }
}

/** A library that is measured: it has a lock, or a throttle, or both. */
export type Measured = Pick<Contestant, 'name'> & {
  readonly open: (setup: Setup) => Client | Promise<Client>
}

type Client = Partial<Pick<Session, 'acquire' | 'throttle'>> & Pick<Session, 'close'>

const ttl = 30_000
const window = 30_000

/** Waits until no further commands follow. Each way takes at most 10 ms. @returns the commands sent so far. */
const settledCommands = async (nodes: readonly FaultyNode[]): Promise<number> => {
  const count = (): number => nodes.reduce((sum, { sent }) => sum + sent, 0)
  for (let seen = -1; seen !== count(); await sleep(60)) seen = count()
  return count()
}

/** Opens a client whose scripts are loaded, at a distance from its nodes. */
const openClient = async (
  measured: Measured,
  addresses: readonly Address[],
): Promise<{ client: Client; nodes: FaultyNode[] }> => {
  const nodes = addresses.map(faultyNode)
  const setup = { nodes, ttl, retries: 0, timeout: undefined, quorum: undefined }
  const client = await measured.open(setup)
  if (client.acquire) await (await client.acquire([randomUUID()])).release()
  await passes(client, randomUUID(), window)
  for (const node of nodes) node.fault = remote
  return { client, nodes }
}

/** Measures every step `cycles` times. Another client of the same library holds the lock. */
export const costsOf = async (
  measured: Measured,
  addresses: readonly Address[],
  cycles: number,
): Promise<Costs> => {
  const { name } = measured
  const { client, nodes } = await openClient(measured, addresses)
  const { client: other } = await openClient(measured, addresses)
  const watch = watchCommands(addresses.map(({ port }) => port))
  const costs: { [step in Step]?: Cost } = {}
  const measure = async (step: Step, work: () => Promise<boolean>): Promise<void> => {
    const sentBefore = await settledCommands(nodes)
    const before = await watch.read()
    if (!(await work())) throw new Error(`${name}: ${step} had another outcome`)
    const sent = (await settledCommands(nodes)) - sentBefore
    const executed = (await watch.read()).commands - before.commands
    const sum = costs[step] ?? { sent: 0, executed: 0 }
    costs[step] = { sent: sum.sent + sent / cycles, executed: sum.executed + executed / cycles }
  }
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      const { acquire } = client
      if (acquire && other.acquire) {
        const key = randomUUID()
        await measure('acquire and release', async () => {
          await (await acquire([key])).release()
          return true
        })
        const held = await other.acquire([key])
        await measure('rejection', async () => {
          return (await settle(acquire([key]), ttl)).state === 'rejected'
        })
        await held.release()
      }
      await measure('throttle pass', () => passes(client, randomUUID(), window))
      const closed = randomUUID()
      await passes(other, closed, window)
      // Immediately, because a client that has just taken the window may still fail for up to a second.
      await measure('throttle rejection', async () => !(await passes(client, closed, window)))
      await measure('rejected again', async () => !(await passes(client, closed, window)))
    }
    return { contestant: name, nodes: nodes.length, isEmulated: !client.throttle, costs }
  } finally {
    watch.close()
    client.close()
    other.close()
  }
}
