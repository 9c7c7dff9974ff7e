import { type Ratios, ratiosOf } from '../sick/ratios.ts'
import { nameOf, sickNodes } from '../sick/sick-node.ts'
import type { BurstFigures } from '../shared/burst-figures.ts'
import { lockOnce, measureBursts } from './bursts.ts'
import { nearby, withSick } from './network.ts'
import { openVirtualClients, type Strategy } from './virtual-clients.ts'

/** Bursts of one size, with all nodes well or with one sick. */
export type SickBursts = BurstFigures & {
  readonly strategy: Strategy
  readonly size: number
  readonly condition: string
  /** Over the bursts of the same size and strategy with all nodes well. */
  readonly ratios?: Ratios
}

/** Measures bursts of one size with all nodes well, and then with each of the sick ones. */
export const measureSick = async (
  strategy: Strategy,
  size: number,
  { bursts, seed }: { readonly bursts: number; readonly seed: number },
): Promise<SickBursts[]> => {
  const open = (network = nearby) => openVirtualClients(seed, size, strategy, network)
  const well = await measureBursts(open(), bursts, lockOnce)
  const results: SickBursts[] = [{ strategy, size, condition: 'all well', ...well }]
  for (const node of sickNodes) {
    const sick = await measureBursts(open(withSick(nearby, node)), bursts, lockOnce)
    const ratios = ratiosOf(sick, well)
    results.push({ strategy, size, condition: nameOf(node), ...sick, ratios })
  }
  return results
}
