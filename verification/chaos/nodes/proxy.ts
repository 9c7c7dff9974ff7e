import getPort from 'get-port'
import { listening } from '../../../tools/cli/listening.ts'
import { randomFrom } from '../../../tools/random.ts'
import { settingsFromParent } from '../campaign/parent.ts'
import { type Link, type LinkFault, makeLink } from './link.ts'

// A process: all links between the processes of clients and the nodes. It is told the fault of a
// link, or that it has none, by its parent, and ends with it.

type Settings = {
  readonly targets: readonly number[]
  readonly count: number
  readonly seed: number
}
type Told = { readonly row: number; readonly node: number; readonly fault: LinkFault | null }

const { targets, count, seed } = await settingsFromParent<Settings>()
const random = randomFrom(seed)

/**
 * The links of one process to all nodes. Clients rank nodes by their urls: all are to rank them
 * alike, so the ports rise from node to node.
 */
const makeRow = async (): Promise<{ links: Link[]; ports: number[] }> => {
  const free = await Promise.all(targets.map(() => getPort({ host: '127.0.0.1' })))
  const ports = free.sort((a, b) => (`${a}` < `${b}` ? -1 : 1))
  const links = targets.map((target) => makeLink(target, random))
  await Promise.all(links.map(({ server }, index) => listening(server, ports[index])))
  return { links, ports }
}

const rows: Awaited<ReturnType<typeof makeRow>>[] = []
while (rows.length < count) rows.push(await makeRow())

process.on('message', ({ row, node, fault }: Told) => {
  rows[row]!.links[node]!.set(fault ?? undefined)
})
process.send!({ ports: rows.map(({ ports }) => ports) })
