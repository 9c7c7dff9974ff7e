import type { LineCall } from '../workload/line.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'

// Checks calls that wait for messages.

const clientsOf = (calls: readonly LineCall[]): SimulatedClient[] => [
  ...new Set(calls.map(({ client }) => client)),
]

/** Checks a process whose last call has just ended, with all its background work. */
export const checkIdle = ({ recorder, network }: Scenario, { process }: SimulatedClient): void => {
  const streams = network.streams.openOf(process.name)
  if (streams > 0) recorder.violated('streams', `${process.name} has left ${streams} open`)
  const timers = process.activeTimers()
  if (timers > 0) recorder.violated('timers', `${process.name} has left ${timers} running`)
}

/** Checks that no process leaves a stream or a timer behind. */
export const checkClosed = (scenario: Scenario, calls: readonly LineCall[]): void => {
  for (const client of clientsOf(calls)) checkIdle(scenario, client)
}

/** Checks that the calls of a process send no more requests than their budgets allow. */
export const checkBudget = (
  { recorder, network, servers }: Scenario,
  calls: readonly LineCall[],
  budget: number,
): void => {
  for (const { process } of clientsOf(calls)) {
    const own = calls.filter(({ client }) => client.process === process)
    const sent = network.requestsOf(process.name)
    // The requests that release a lock do not count toward the budget of the call that acquired it.
    const releases =
      own.filter(({ made }) => made?.answer === 'acquired').length * 2 * servers.length
    recorder.covered('wake-up: within its budget')
    if (sent <= own.length * budget + releases) continue
    recorder.violated('budget', `${process.name} sent ${sent}, with ${own.length} times ${budget}`)
  }
}
