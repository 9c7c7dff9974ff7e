import { randomUUID } from 'node:crypto'
import type {
  Contestant,
  Session,
  Setup,
} from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { remote } from '../shared/distance.ts'

/** So many clients of one library, each by itself and far from all servers. */
export type Crowd = {
  readonly sessions: readonly Session[]
  /** How many requests they have sent. */
  readonly sent: () => number
  /** The same, once no more of them come. */
  readonly settled: () => Promise<number>
  readonly close: () => void
}

/** Opens them. The servers know their scripts, and the clients the servers, when it is done. */
export const gather = async (
  contestant: Contestant,
  addresses: readonly Address[],
  count: number,
  { ttl, retries }: Pick<Setup, 'ttl' | 'retries'>,
): Promise<Crowd> => {
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
      await (await session.acquire([randomUUID()])).release()
    }
  } catch (error) {
    close()
    throw error
  }
  for (const node of nodes) node.fault = remote
  const sent = (): number => nodes.reduce((sum, node) => sum + node.sent, 0)
  const settled = async (): Promise<number> => {
    for (let seen = -1; seen !== sent(); await sleep(150)) seen = sent()
    return sent()
  }
  return { sessions, sent, settled, close }
}
