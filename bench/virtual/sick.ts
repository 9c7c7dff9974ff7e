import { type Ratios, ratiosOf } from '../sick/ratios.ts'
import { laggingNodes, nameOf, sickNodes } from '../sick/sick-node.ts'
import type { BurstFigures } from '../shared/burst-figures.ts'
import { lockOnce, measureBursts } from './bursts.ts'
import { nearby, withSick } from './network.ts'
import { openVirtualClients, type Strategy } from './virtual-clients.ts'

/** Bursts of one size, with all nodes well or with one sick. */
export type SickBursts = BurstFigures & {
  readonly strategy: Strategy
  readonly size: number
  readonly condition: string
  /** Over the bursts of the same size and strategy with all nodes well. A node that lags has no target for them. */
  readonly ratios?: Ratios | undefined
}

type Options = { readonly bursts: number; readonly seed: number }

const measure = async (
  strategy: Strategy,
  size: number,
  { bursts, seed }: Options,
  isFresh: boolean,
): Promise<SickBursts[]> => {
  const measureOver = (network = nearby) => {
    const world = openVirtualClients(seed, size, strategy, network)
    return measureBursts(world, bursts, lockOnce, isFresh ? world.openFresh : undefined)
  }
  const well = await measureOver()
  const results: SickBursts[] = [{ strategy, size, condition: 'all well', ...well }]
  for (const node of [...sickNodes, ...laggingNodes]) {
    const sick = await measureOver(withSick(nearby, node))
    const ratios = laggingNodes.includes(node) ? undefined : ratiosOf(sick, well)
    results.push({ strategy, size, condition: nameOf(node), ...sick, ratios })
  }
  return results
}

/** Measures bursts of one size with all nodes well, and then with each of the sick ones. */
export const measureSick = (
  strategy: Strategy,
  size: number,
  options: Options,
): Promise<SickBursts[]> => measure(strategy, size, options, false)

/** The same for double clicks, each by two clients that know nothing of the nodes. */
export const measureFresh = (strategy: Strategy, options: Options): Promise<SickBursts[]> =>
  measure(strategy, 2, options, true)
