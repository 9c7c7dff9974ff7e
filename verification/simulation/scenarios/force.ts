import { follow, type Run, runAmongFaults } from '../workload/among-faults.ts'
import { drawFaults } from '../workload/draw-faults.ts'
import { callForce } from '../workload/force-call.ts'
import { randomCall } from '../workload/random-call.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// The random calls and faults of `faults`, while an operator forcibly releases locks.

const runTurns = async (
  { loop, options }: Scenario,
  { process }: SimulatedClient,
  turn: () => Promise<void>,
): Promise<void> => {
  const { random } = loop
  for (let turns = random.whole(1, 3); turns > 0; turns--) {
    await process.sleep(random.between(0, random.chance(0.5) ? 10 : options.ttl))
    await turn()
  }
}

export const force: HistoryKind = {
  draw: drawFaults,
  run: async (scenario) => {
    const { loop, clients } = scenario
    const start = (name: string, turn: (client: SimulatedClient) => Promise<void>): Run => {
      const client = startClient(scenario, name)
      clients.push(client)
      return follow(
        client,
        runTurns(scenario, client, () => turn(client)),
      )
    }
    const callers = Array.from({ length: loop.random.pick([1, 2, 2, 3]) }, (_, index) =>
      start(`c${index + 1}`, (client) => randomCall(scenario, client)),
    )
    const operator = start('operator', (client) => callForce(scenario, client))
    await runAmongFaults(scenario, [...callers, operator])
  },
}
