import type { Scenario } from './scenario.ts'
import type { SickNodes } from './sick-nodes.ts'

/** The maximum time until a request has a reply or is canceled, in ms. */
export const maxNodeTimeout = 2_500

/** Waits until all requests have ended, heals all nodes, and waits until all remaining locks have expired. */
export const letAllEnd = async (
  { loop, network, options }: Scenario,
  sick: SickNodes,
): Promise<void> => {
  await loop.runUntil(loop.now() + maxNodeTimeout)
  sick.cureAll()
  network.heal()
  await loop.runUntil(loop.now() + maxNodeTimeout + options.ttl)
}
