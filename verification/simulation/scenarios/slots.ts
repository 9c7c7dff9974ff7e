import { withSlots } from '../../../src/index.ts'
import { checkLimit } from '../checks/slot-checks.ts'
import { follow, runAmongFaults } from '../workload/among-faults.ts'
import { drawFaults } from '../workload/draw-faults.ts'
import { randomSlotCall, type SlotTarget } from '../workload/slot-call.ts'
import { checkAllSlots } from '../workload/slot-service.ts'
import { crowdProfile, drawCrowd, runCrowd } from '../workload/slot-crowd.ts'
import { outageProfile, runOutage } from '../workload/slot-outage.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Clients compete for a few slots. A history has random calls during random faults, a crowd while a minority of the
// nodes is faulty, or calls while a majority is faulty.

const runCalls = async (
  scenario: Scenario,
  client: SimulatedClient,
  target: SlotTarget,
): Promise<void> => {
  const { random } = scenario.loop
  for (let calls = random.pick([1, 1, 2, 3]); calls > 0; calls--) {
    await client.process.sleep(random.between(0, random.chance(0.5) ? 3 : scenario.options.ttl))
    await randomSlotCall(scenario, client, target)
  }
}

const runFaults = async (scenario: Scenario, target: SlotTarget): Promise<void> => {
  const { loop, clients } = scenario
  const { random } = loop
  for (let index = random.whole(2, target.limit + 3); index > 0; index--) {
    clients.push(startClient(scenario, `c${clients.length + 1}`, withSlots))
  }
  const runs = clients.map((client) => follow(client, runCalls(scenario, client, target)))
  await runAmongFaults(scenario, runs)
  // With a shorter timeout, a client can miss a reply. The node then keeps a slot that no client holds.
  const isPatient = scenario.options.nodeTimeout === undefined
  if (isPatient && random.chance(0.5)) await checkAllSlots(scenario, target)
}

export const slots: HistoryKind = {
  draw: (loop) => {
    const share = loop.random.unit()
    if (share < 0.6) return drawFaults(loop)
    return drawCrowd(loop, share < 0.9 ? crowdProfile : outageProfile)
  },
  run: async (scenario) => {
    const { keys, rates, loop } = scenario
    const target: SlotTarget = { key: keys[0]!, limit: loop.random.whole(1, 4) }
    loop.trace.say(() => `limit ${target.limit}`)
    if (rates.profile === crowdProfile) await runCrowd(scenario, target)
    else if (rates.profile === outageProfile) await runOutage(scenario, target)
    else await runFaults(scenario, target)
    checkLimit(scenario, target)
  },
}
