import { ownersOn } from '../checks/owners.ts'
import { type BurstCall, hasWon, resultOf, runCalls, type Target } from './burst.ts'
import { recordError } from './expected-errors.ts'
import { losesMessages } from './fault-rates.ts'
import { maxNodeTimeout } from './let-all-end.ts'
import type { Scenario } from './scenario.ts'
import { startClient } from './simulated-client.ts'

/**
 * The number of healthy servers without a lock after all requests of a burst have ended. Only a dead client, a lost
 * release, or the pass of a throttle can leave a lock on a healthy server.
 */
const freeServers = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  { isThrottle }: Target,
  isSick: (server: string) => boolean,
): number => {
  const { recorder, rates, servers } = scenario
  const mayKeep = (owner: string): boolean =>
    losesMessages(rates) ||
    calls.some((call) => {
      const { process } = call.client
      const hasPassed = isThrottle && hasWon(call)
      return process.name === owner && (hasPassed || !process.isAlive())
    })
  const free = servers.filter((server) => {
    if (isSick(server.name)) return false
    const owners = [...ownersOn(scenario, server)]
    const wrong = owners.filter((owner) => !mayKeep(owner))
    for (const owner of wrong)
      recorder.violated('leftovers', `${owner} has left a lock on ${server.name}`)
    return owners.length === 0
  })
  return free.length
}

/**
 * Waits until a burst and its background work have ended. Then checks that nothing is left of it, and that the next
 * call acquires the free keys, whether or not the burst had a winner. A minority of the nodes can still be faulty.
 */
export const callNext = async (
  scenario: Scenario,
  calls: readonly BurstCall[],
  target: Target,
  isSick: (server: string) => boolean,
): Promise<void> => {
  const { loop, recorder, rates, network, quorum, servers } = scenario
  await loop.runUntil(loop.now() + maxNodeTimeout)
  if (losesMessages(rates)) network.heal()
  const client = startClient(scenario, 'next')
  const free = freeServers(scenario, calls, target, isSick)
  // One node is enough to reject a call, even if that node is faulty. This applies to the first node of a frugal call,
  // and to the node that a client contacts again after it has yielded.
  const isBelieved = servers.some((server) => ownersOn(scenario, server).size > 0)
  if (free < quorum || (client.strategy === 'frugal' && isBelieved)) return
  const next: BurstCall = {
    client,
    delay: 0,
    wait: 0,
  }
  const releases = await runCalls(scenario, [next], target)
  const hadWinner = calls.some(hasWon)
  recorder.covered(`next call after a burst with${hadWinner ? '' : 'out'} a winner`)
  if (isBelieved && next.heard === 1) recorder.covered('next call: refused by one node')
  else if (!hasWon(next)) recorder.violated('next call', `${resultOf(next)}, although all is free`)
  for (const release of releases) {
    release().catch((error: unknown) => recordError(scenario, 'a release after a burst', error))
  }
}
