import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from './build-scenario.ts'
import { drawFaultRates } from './fault-rates.ts'
import type { Scenario } from './scenario.ts'

/** Draws the servers of a history with random faults, and the options of its clients. */
export const drawFaults = (loop: EventLoop): Scenario => {
  const { random } = loop
  const rates = drawFaultRates(random)
  const count = rates.duplicateNode
    ? random.pick([2, 2, 4])
    : random.pick([3, 3, 3, 3, 3, 3, 3, 5, 4, 2])
  const driftFactor = random.pick([0.01, 0.05, 0.2])
  // If nodes are far away, a lock must live for several round trips.
  const isFar = rates.distance > 10
  const ttl = random.whole(isFar ? 250 : 30, 400)
  return buildScenario(loop, {
    rates,
    count,
    distance: nearDistance(0.3, rates.distance),
    keys: random.chance(0.6) ? ['k1'] : ['k1', 'k2'],
    maxTtl: Math.round(ttl * random.pick([1, 1, 2])),
    options: {
      ttl,
      driftFactor,
      nodeTimeout: isFar ? undefined : random.pick([undefined, undefined, 15, 40, 120]),
      retry: { attempts: random.whole(1, 4), delay: 1, maxDelay: random.whole(5, 80) },
      localQueue: random.chance(0.5),
    },
    checksForSecrets: random.chance(0.1),
  })
}
