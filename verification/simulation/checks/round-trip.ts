import type { Scenario } from '../workload/scenario.ts'

/**
 * The time in ms in which a quorum of servers certainly answers a process, the sick ones not counted.
 */
export const quorumRoundTrip = (
  { servers, quorum, distance }: Scenario,
  process: string,
  isSick: (server: string) => boolean,
): number => {
  const times = servers
    .filter(({ name }) => !isSick(name))
    .map(({ name }) => 2 * distance.max(process, name))
  return times.sort((a, b) => a - b)[quorum - 1]!
}
