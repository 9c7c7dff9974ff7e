import { fileURLToPath } from 'node:url'
import { startChild } from '../../../tools/child-process.ts'
import { type ProcessName, processes } from '../campaign/settings.ts'
import type { LinkFault } from './link.ts'
import type { PacketFilter } from './packets.ts'

const file = fileURLToPath(new URL('proxy.ts', import.meta.url))

/** All links: their faults, and the URLs through which processes reach the nodes. */
export type Links = {
  readonly urls: (process: ProcessName) => string[]
  /** Sets or ends the fault of the links between these processes and these nodes. */
  readonly set: (
    names: readonly ProcessName[],
    nodes: readonly number[],
    fault?: LinkFault,
  ) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts the process with the links to gateways on these ports. A packet filter, if there is one, injects the faults
 * that it supports, on the connections between clients and links.
 */
export const startLinks = async (
  targets: readonly number[],
  seed: number,
  filter?: PacketFilter,
): Promise<Links> => {
  const settings = { targets, distances: processes.map(({ distance }) => distance), seed }
  const child = await startChild<{ ports: number[][] }>(file, settings)
  const rowOf = (name: ProcessName): number => processes.findIndex((one) => one.name === name)
  const portsOf = (name: ProcessName): number[] => child.report.ports[rowOf(name)]!
  return {
    urls: (name) => portsOf(name).map((port) => `http://127.0.0.1:${port}`),
    set: async (names, nodes, fault) => {
      const isFiltered = fault && filter?.does(fault.kind)
      for (const name of names) {
        const linkFault = isFiltered ? null : (fault ?? null)
        for (const node of nodes) child.send({ row: rowOf(name), node, fault: linkFault })
      }
      const ports = names.flatMap((name) => nodes.map((node) => portsOf(name)[node]!))
      await filter?.set(ports, isFiltered ? fault : undefined)
    },
    stop: child.end,
  }
}
