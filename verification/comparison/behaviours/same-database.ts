import { refuse } from '../faults.ts'
import { type FaultyNode, faultyNode } from '../nodes.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, type Observation, ok, settle } from '../observation.ts'
import type { TestBed } from '../test-bed.ts'

/** Server A, the same server under another address, and server B. */
const nodesOf = ({ servers: { addresses } }: TestBed): FaultyNode[] => {
  const [a, b] = [addresses[0]!, addresses[1]!]
  const host = 'localhost'
  const alias = { ...a, host, url: a.url.replace('127.0.0.1', host) }
  return [a, alias, b].map(faultyNode)
}

const refused = (error: unknown): Observation =>
  ok(`such nodes are refused (${(error as Error).name})`)

/** Two connections to one database count as one vote in every operation. */
export const sameDatabase: Behaviour = {
  id: 'same-database',
  title: 'Two connections to one database do not count as two votes',
  test: 'Nodes A, A again as localhost, and B. While B is unreachable, an acquire must fail, and so must the extend of a lock that was acquired with B. Refusing such nodes altogether is as good.',
  known: 'the algorithm: the nodes are totally independent.',
  needs: ['several nodes'],
  run: async (bed) => {
    const nodes = nodesOf(bed)
    const b = nodes[2]!
    const opened = await settle(bed.open({ nodes, isWarm: false }), 3000)
    if (opened.state === 'rejected') return refused(opened.error)
    if (opened.state !== 'resolved') return fails(describe(opened))
    const session = opened.value
    b.fault = refuse
    const alone = await settle(session.acquire([bed.key]), 3000)
    if (alone.state === 'resolved') return fails('acquired on one database')
    b.fault = undefined
    const together = await settle(session.acquire([bed.freshKey()]), 3000)
    if (together.state === 'rejected') return refused(together.error)
    if (together.state !== 'resolved') return fails(describe(together))
    b.fault = refuse
    const extended = await settle(together.value.extend(10_000), 3000)
    return extended.state === 'resolved' && extended.value
      ? fails('acquire counts it once; an extend succeeds on one database')
      : ok('counted once')
  },
}
