import { fileURLToPath } from 'node:url'
import { startChild } from '../child.ts'
import { processes } from '../settings.ts'
import type { LinkFault } from './link.ts'

const file = fileURLToPath(new URL('proxy.ts', import.meta.url))

/** All links: the urls by which a process reaches the nodes, and the fault of one of them. */
export type Links = {
  readonly urls: (process: string) => string[]
  readonly set: (process: string, node: number, fault?: LinkFault) => void
  readonly stop: () => Promise<void>
}

/** Starts the process of the links to gateways on these ports. */
export const startLinks = async (targets: readonly number[], seed: number): Promise<Links> => {
  const settings = { targets, count: processes.length, seed }
  const child = await startChild<{ ports: number[][] }>(file, settings)
  const row = (name: string): number => processes.findIndex((one) => one.name === name)
  return {
    urls: (name) => child.told.ports[row(name)]!.map((port) => `http://127.0.0.1:${port}`),
    set: (name, node, fault) => child.send({ row: row(name), node, fault: fault ?? null }),
    stop: child.end,
  }
}
