import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Redlock } from '../../../src/index.ts'
import { until } from '../../../tools/cli/until.ts'
import * as settings from '../campaign/settings.ts'
import { type ChaosNode, startNode } from './nodes.ts'

// The nodes of a campaign, and the store with the counters, which no fault ever hits.

/** Starts all of them, or none: those that did start are stopped where another did not. */
export const startNodes = async (
  started: AsyncDisposableStack,
  seed: number,
  place: { readonly directory: string; readonly clockLibrary?: string | undefined },
): Promise<{ readonly nodes: readonly ChaosNode[]; readonly store: ChaosNode }> => {
  const start = async (name: string, isPersistent: boolean, seed: number): Promise<ChaosNode> => {
    const directory = join(place.directory, name)
    await mkdir(directory)
    // Clocks are put on where that is among the faults.
    const clockLibrary = isPersistent ? place.clockLibrary : undefined
    return startNode({ isPersistent, seed, clockLibrary, directory })
  }
  const starting = settings.nodes.map(({ name, isPersistent }, index) =>
    start(name, isPersistent, seed + index),
  )
  starting.push(start('store', false, seed))
  const ends = await Promise.allSettled(starting)
  for (const end of ends) if (end.status === 'fulfilled') started.defer(end.value.stop)
  const nodes = await Promise.all(starting)
  return { nodes: nodes.slice(0, -1), store: nodes.at(-1)! }
}

/** New nodes that are volatile abstain at first. */
export const warmUp = async (nodes: readonly ChaosNode[], stop: AbortSignal): Promise<void> => {
  const redlock = new Redlock({
    nodes: nodes.map(({ url, token }, index) => ({
      url,
      token,
      volatile: !settings.nodes[index]!.isPersistent,
    })),
    ttl: settings.ttl,
    maxTtl: settings.ttl,
    driftFactor: settings.driftFactor,
  })
  const isReady = async (): Promise<boolean> => {
    const { nodes } = await redlock.inspect('warm-up')
    return stop.aborted || nodes.every(({ status }) => status === 'absent')
  }
  await until(isReady, 2 * settings.quarantine, 'The nodes were not all ready')
}
