import type { BurstCall } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'

/** The time within which a quorum of healthy servers certainly replies to a process, in ms. */
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

/** The longest such time among the clients of a burst. */
export const quorumRoundTrip = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  isSick: (server: string) => boolean,
): number =>
  Math.max(...calls.map(({ client }) => quorumRoundTripOf(scenario, client.process.name, isSick)))
