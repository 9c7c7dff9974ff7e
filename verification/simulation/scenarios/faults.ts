import { checkService } from '../checks/recovery-checks.ts'
import { drawFaults } from '../workload/draw-faults.ts'
import { runContender, runHolder } from '../workload/expiry-race.ts'
import { randomCall, randomCallInWorker } from '../workload/random-call.ts'
import { injectRandomFaults } from '../workload/random-faults.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Two or three clients, random calls, and random faults of servers, clocks, processes and messages.

/** The calls of a client, one after the other, or each in a Worker of its own. */
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

export type Run = {
  readonly client: SimulatedClient
  isDone: boolean
  readonly done: Promise<void>
}

/** Follows the workload of a client. */
export const follow = (client: SimulatedClient, done: Promise<void>): Run => {
  const run: Run = { client, isDone: false, done }
  void done.then(() => (run.isDone = true))
  return run
}

/** Starts the workload of each client. In some histories the first two of them race for an expiry. */
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

/** Lets the workload end after all faults have healed, and everything that follows from it. */
const awaitEnd = async (
  { loop, recorder, rates, maxTtl }: Scenario,
  runs: Run[],
): Promise<void> => {
  const isOver = (): boolean =>
    runs.every(({ client, isDone }) => isDone || !client.process.isAlive())
  for (let step = 0; step < 50 && !isOver(); step++) await loop.runUntil(loop.now() + 2 * maxTtl)
  for (const { client, isDone } of runs) {
    if (client.process.isAlive() && !isDone) {
      recorder.violated('settled', `${client.process.name} has not finished`)
    }
  }
  // Until the last lock has expired, the last request has timed out, and no node is quarantined.
  await loop.runUntil(loop.now() + (rates.volatile ? 12_000 : Math.max(2_100, 6 * maxTtl)))
}

/** Runs a workload among random faults, which heal at the end. */
export const runAmongFaults = async (scenario: Scenario, runs: Run[]): Promise<void> => {
  const { loop, network, options } = scenario
  const faultsEnd = loop.now() + 6 * options.ttl
  injectRandomFaults(scenario, faultsEnd)
  await loop.runUntil(faultsEnd)
  loop.trace.say(() => 'all faults heal')
  network.heal()
  await awaitEnd(scenario, runs)
}

/** Random calls among random faults. */
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
