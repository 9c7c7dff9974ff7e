import { randomUUID } from 'node:crypto'
import type {
  Contestant,
  Session,
  Setup,
} from '../../verification/comparison/contestants/contestant.ts'
import { type Fault, sleep } from '../../verification/comparison/faults.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { remote } from '../shared/distance.ts'

/** Independent clients of one library, all far from the servers. */
export type Clients = {
  readonly sessions: readonly Session[]
  /** How many requests they have sent. */
  readonly sent: () => number
  /** The same, once none has followed for some ms; default: 150. */
  readonly settled: (quiet?: number) => Promise<number>
  readonly close: () => void
}

/**
 * Opens clients. Scripts are loaded and connections open when it resolves.
 *
 * @param faultOf - What stands before a node from then on, by its index. Default: the distance.
 * @param isFresh - Whether no client has asked a node before; then nothing is loaded or open.
 */
export const openClients = async (
  contestant: Contestant,
  addresses: readonly Address[],
  count: number,
  { ttl, retries }: Pick<Setup, 'ttl' | 'retries'>,
  faultOf: (index: number) => Fault = () => remote,
  isFresh = false,
): Promise<Clients> => {
  const nodes: FaultyNode[] = []
  const sessions: Session[] = []
  const close = (): void => sessions.forEach((session) => session.close())
  try {
    for (let client = 0; client < count; client++) {
      const own = addresses.map(faultyNode)
      nodes.push(...own)
      const setup = { nodes: own, ttl, retries, timeout: undefined, quorum: undefined }
      const session = await contestant.open(setup)
      sessions.push(session)
      if (!isFresh) await (await session.acquire([randomUUID()])).release()
    }
  } catch (error) {
    close()
    throw error
  }
  for (const [index, node] of nodes.entries()) node.fault = faultOf(index % addresses.length)
  const sent = (): number => nodes.reduce((sum, node) => sum + node.sent, 0)
  const settled = async (quiet = 150): Promise<number> => {
    for (let seen = -1; seen !== sent(); await sleep(quiet)) seen = sent()
    return sent()
  }
  return { sessions, sent, settled, close }
}
