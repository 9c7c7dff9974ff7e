import { checkService } from '../checks/recovery-checks.ts'
import { follow, type Run, runAmongFaults } from '../workload/among-faults.ts'
import { drawFaults } from '../workload/draw-faults.ts'
import { runContender, runHolder } from '../workload/expiry-race.ts'
import { randomCall, randomCallInWorker } from '../workload/random-call.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Two or three clients, random calls, and random faults of servers, clocks, processes and messages.

/** Runs the calls of a client one after the other, either in one process or each in a new Worker. */
const runCalls = async (
  scenario: Scenario,
  client: SimulatedClient,
  calls: number,
): Promise<void> => {
  const { random } = scenario.loop
  const isWorker = random.chance(0.25)
  for (let turn = 1; turn <= calls; turn++) {
    await client.process.sleep(random.between(0, random.chance(0.5) ? 3 : scenario.options.ttl))
    if (isWorker) await randomCallInWorker(scenario, `${client.process.name}.${turn}`)
    else await randomCall(scenario, client)
  }
}

/** Starts the workload of each client. In some histories, the first two clients race for an expiring lock. */
const startWorkload = (scenario: Scenario): Run[] => {
  const { random } = scenario.loop
  const racers = random.chance(0.15) ? [runHolder, runContender] : []
  return scenario.clients.map((client, index): Run => {
    const race = racers[index]
    const done = race
      ? race(scenario, client)
      : runCalls(scenario, client, random.pick([1, 1, 1, 2]))
    return follow(client, done)
  })
}

/** Random calls during random faults. */
export const faults: HistoryKind = {
  draw: drawFaults,
  run: async (scenario) => {
    const { loop, rates, clients } = scenario
    const { random } = loop
    for (let index = random.pick([2, 2, 2, 3]); index > 0; index--) {
      clients.push(startClient(scenario, `c${clients.length + 1}`))
    }
    await runAmongFaults(scenario, startWorkload(scenario))
    if (random.chance(rates.volatile ? 0.3 : 0.1)) await checkService(scenario)
  },
}
