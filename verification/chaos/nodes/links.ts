import { fileURLToPath } from 'node:url'
import { startChild } from '../campaign/child.ts'
import { type ProcessName, processes } from '../campaign/settings.ts'
import type { LinkFault } from './link.ts'
import type { PacketFilter } from './packets.ts'

const file = fileURLToPath(new URL('proxy.ts', import.meta.url))

/** All links: the urls by which a process reaches the nodes, and the fault of some of them. */
export type Links = {
  readonly urls: (process: ProcessName) => string[]
  /** Between each of these processes and each of these nodes. */
  readonly set: (
    names: readonly ProcessName[],
    nodes: readonly number[],
    fault?: LinkFault,
  ) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts the process of the links to gateways on these ports. What a packet filter can do is done by
 * that, if there is one: in front of the links, so on connections between them and the clients.
 */
export const startLinks = async (
  targets: readonly number[],
  seed: number,
  filter?: PacketFilter,
): Promise<Links> => {
  const settings = { targets, count: processes.length, seed }
  const child = await startChild<{ ports: number[][] }>(file, settings)
  const rowOf = (name: ProcessName): number => processes.findIndex((one) => one.name === name)
  const portsOf = (name: ProcessName): number[] => child.told.ports[rowOf(name)]!
  return {
    urls: (name) => portsOf(name).map((port) => `http://127.0.0.1:${port}`),
    set: async (names, nodes, fault) => {
      const isFiltered = fault && filter?.does(fault.kind)
      for (const name of names) {
        const told = isFiltered ? null : (fault ?? null)
        for (const node of nodes) child.send({ row: rowOf(name), node, fault: told })
      }
      const ports = names.flatMap((name) => nodes.map((node) => portsOf(name)[node]!))
      await filter?.set(ports, isFiltered ? fault : undefined)
    },
    stop: child.end,
  }
}
