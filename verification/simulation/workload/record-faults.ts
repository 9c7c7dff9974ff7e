import type { Scenario, SimulatedClient } from './scenario.ts'
import type { RecordKind } from './draw-records.ts'
import { isCalm } from './draw-records.ts'
import { type Minority, noneSick, strikeMinority } from './sick-nodes.ts'

// The faults of a history about one record. They are drawn after the rates.

/** Makes a minority of the nodes faulty if the profile includes this fault. */
export const beginFaults = (scenario: Scenario, kind: RecordKind): Minority => {
  const { rates, recorder } = scenario
  const isSick = /sick|all/.test(rates.profile)
  const minority = isSick ? strikeMinority(scenario) : noneSick(scenario)
  if (isSick) recorder.covered(`${kind}: sick nodes`)
  if (rates.pauses > 0) recorder.covered(`${kind}: paused processes`)
  if (rates.requestLost + rates.replyLost + rates.duplicated > 0) {
    recorder.covered(`${kind}: faulty network`)
  }
  if (isCalm(rates)) recorder.covered(`${kind}: all nodes are well`)
  return minority
}

/** Kills some of the processes in about half of the histories, each at a random step. */
export const killSome = (
  { loop: { random }, recorder }: Scenario,
  kind: RecordKind,
  clients: readonly SimulatedClient[],
): readonly SimulatedClient[] => {
  const killed = random.chance(0.5) ? clients.slice(0, random.whole(1, clients.length - 1)) : []
  for (const { process } of killed) {
    recorder.covered(`${kind}: a process crashes`)
    process.killAfter(random.whole(0, 60))
  }
  return killed
}
