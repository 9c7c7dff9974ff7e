import type { Scenario } from './scenario.ts'
import type { SickNodes } from './sick-nodes.ts'

/** The maximum time until a request is answered or canceled, in ms. */
export const maxNodeTimeout = 2_500

/** Lets all requests end, heals all nodes, and lets all remaining locks expire. */
export const letAllEnd = async (
  { loop, network, options }: Scenario,
  sick: SickNodes,
): Promise<void> => {
  await loop.runUntil(loop.now() + maxNodeTimeout)
  sick.cureAll()
  network.heal()
  await loop.runUntil(loop.now() + maxNodeTimeout + options.ttl)
}
