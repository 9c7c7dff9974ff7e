import { anyPort } from '../../../tools/servers/free-port.ts'
import { listening } from '../../../tools/cli/listening.ts'
import { randomFrom } from '../../../tools/random.ts'
import { settingsFromParent } from '../../../tools/child-process.ts'
import { type Link, type LinkFault, makeLink } from './link.ts'

// A process with all links between the client processes and the nodes. The parent process sends the fault of a link, or
// null to end the fault. The process ends with its parent.

type Settings = {
  readonly targets: readonly number[]
  /** The distances of the processes, in ms each way. */
  readonly distances: readonly number[]
  readonly seed: number
}
type Message = { readonly row: number; readonly node: number; readonly fault: LinkFault | null }

const { targets, distances, seed } = await settingsFromParent<Settings>()
const random = randomFrom(seed)

/**
 * Creates the links of one process to all nodes. Clients rank nodes by their URLs. The ports increase from node to
 * node, so that all clients rank the nodes in the same order.
 */
const makeRow = async (distance: number): Promise<{ links: Link[]; ports: number[] }> => {
  const free = await Promise.all(targets.map(() => anyPort()))
  const ports = free.sort((a, b) => (`${a}` < `${b}` ? -1 : 1))
  const links = targets.map((target) => makeLink(target, random, distance))
  await Promise.all(links.map(({ server }, index) => listening(server, ports[index])))
  return { links, ports }
}

const rows: Awaited<ReturnType<typeof makeRow>>[] = []
for (const distance of distances) rows.push(await makeRow(distance))

process.on('message', ({ row, node, fault }: Message) => {
  rows[row]!.links[node]!.set(fault ?? undefined)
})
process.send!({ ports: rows.map(({ ports }) => ports) })
