import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, quarantine, Redlock } from '../../../src/index.ts'
import { until } from '../../../tools/cli/until.ts'
import * as settings from '../campaign/settings.ts'
import { type ChaosNode, startNode } from './nodes.ts'

// The nodes of a campaign, and the store with the counters, which has no faults.

/** Starts the nodes and the store. If one fails to start, the stack stops the others. */
export const startNodes = async (
  started: AsyncDisposableStack,
  seed: number,
  options: { readonly directory: string; readonly clockLibrary?: string | undefined },
): Promise<{ readonly nodes: readonly ChaosNode[]; readonly store: ChaosNode }> => {
  const start = async (name: string, isPersistent: boolean, seed: number): Promise<ChaosNode> => {
    const directory = join(options.directory, name)
    await mkdir(directory)
    // Only persistent servers have clock faults.
    const clockLibrary = isPersistent ? options.clockLibrary : undefined
    return startNode({ isPersistent, seed, clockLibrary, directory })
  }
  const starting = settings.nodes.map(({ name, isPersistent }, index) =>
    start(name, isPersistent, seed + index),
  )
  starting.push(start('store', false, seed))
  const results = await Promise.allSettled(starting)
  for (const result of results) if (result.status === 'fulfilled') started.defer(result.value.stop)
  const nodes = await Promise.all(starting)
  return { nodes: nodes.slice(0, -1), store: nodes.at(-1)! }
}

/** Waits until all nodes vote. A volatile node is quarantined even after its first start. */
export const warmUp = async (nodes: readonly ChaosNode[], stop: AbortSignal): Promise<void> => {
  const redlock = new Redlock({
    nodes: nodes.map(({ url, token }, index) => ({
      url,
      token,
      volatile: !settings.nodes[index]!.isPersistent && quarantine(),
    })),
    ttl: settings.ttl,
    maxTtl: settings.maxTtl,
    advanced: { driftFactor: settings.driftFactor },
    warnings: false,
  })
  const isReady = async (): Promise<boolean> => {
    const { nodes } = await inspect(redlock, 'warm-up')
    return stop.aborted || nodes.every(({ status }) => status === 'absent')
  }
  await until(isReady, 2 * settings.quarantine, 'The nodes were not all ready')
}
