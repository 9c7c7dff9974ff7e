import type { BurstCall } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'

/** The time in ms in which a quorum of servers certainly answers a process, without the sick ones. */
export const quorumRoundTripOf = (
  { servers, quorum, distance }: Scenario,
  process: string,
  isSick: (server: string) => boolean,
): number => {
  const times = servers
    .filter(({ name }) => !isSick(name))
    .map(({ name }) => 2 * distance.max(process, name))
  return times.sort((a, b) => a - b)[quorum - 1]!
}

/** The same for all clients of a burst: the longest. */
export const quorumRoundTrip = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  isSick: (server: string) => boolean,
): number =>
  Math.max(...calls.map(({ client }) => quorumRoundTripOf(scenario, client.process.name, isSick)))
