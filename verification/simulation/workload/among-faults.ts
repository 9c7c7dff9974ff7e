import { injectRandomFaults } from './random-faults.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** The workload of a client. */
export type Run = {
  readonly client: SimulatedClient
  isDone: boolean
  readonly done: Promise<void>
}

/** Tracks the workload of a client. */
export const follow = (client: SimulatedClient, done: Promise<void>): Run => {
  const run: Run = { client, isDone: false, done }
  void done.then(() => (run.isDone = true))
  return run
}

/** After all faults have healed, waits until the workload and all its consequences have ended. */
const awaitEnd = async (
  { loop, recorder, rates, maxTtl }: Scenario,
  runs: readonly Run[],
): Promise<void> => {
  const isOver = (): boolean =>
    runs.every(({ client, isDone }) => isDone || !client.process.isAlive())
  for (let step = 0; step < 50 && !isOver(); step++) await loop.runUntil(loop.now() + 2 * maxTtl)
  for (const { client, isDone } of runs) {
    if (client.process.isAlive() && !isDone) {
      recorder.violated('settled', `${client.process.name} has not finished`)
    }
  }
  // By then, the last lock has expired, the last request has timed out, and no node is quarantined.
  await loop.runUntil(loop.now() + (rates.volatile ? 12_000 : Math.max(2_100, 6 * maxTtl)))
}

/** Runs a workload during random faults, which heal at the end. */
export const runAmongFaults = async (scenario: Scenario, runs: readonly Run[]): Promise<void> => {
  const { loop, network, options } = scenario
  const faultsEnd = loop.now() + 6 * options.ttl
  injectRandomFaults(scenario, faultsEnd)
  await loop.runUntil(faultsEnd)
  loop.trace.say(() => 'all faults heal')
  network.heal()
  await awaitEnd(scenario, runs)
}
