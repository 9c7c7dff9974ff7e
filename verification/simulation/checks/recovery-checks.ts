import { isLockLostError, isQuorumError } from '../../../src/index.ts'
import type { Server } from '../engine/server.ts'
import { executesAsSent } from '../workload/fault-rates.ts'
import { acquiredStep } from '../workload/hold.ts'
import { requestToken } from '../workload/operations.ts'
import type { Scenario } from '../workload/scenario.ts'

// Checks that a call leaves nothing behind once it has ended, and that service recovers once all faults have healed.

// The maximum time until all clients are served after recovery, in ms.
const maxRecovery = 20_000
// How long a request can be in transit if no message is slow and no node is far away, in ms.
const maxDelivery = 15

/** Checks that every live client can acquire a lock. */
export const checkService = async (scenario: Scenario): Promise<void> => {
  const { loop, recorder, clients, keys } = scenario
  let served = 0
  const alive = clients.filter(({ process }) => process.isAlive())
  for (const client of alive) {
    const { process, redlock } = client
    recorder.beginCall(process.name)
    const call = recorder.called(process.name, { kind: 'lock', keys })
    void redlock
      .acquire(keys, { wait: 60_000, retry: { delay: 5, maxDelay: 60 } })
      .then(async (lock) => {
        recorder.say(call, acquiredStep(scenario, process, lock))
        // With a short TTL, the lock can expire before the client receives a token.
        await requestToken(scenario, client, lock, call).catch((error: unknown) => {
          if (!isQuorumError(error) && !isLockLostError(error)) throw error
        })
        recorder.say(call, { type: 'releasing' })
        await lock.release()
        return served++
      })
      .catch((error: unknown) => recorder.violated('service', `${process.name}: ${String(error)}`))
  }
  await loop.runUntil(loop.now() + maxRecovery)
  if (served < alive.length) {
    recorder.violated('service', `${served} of ${alive.length} were served in 20 s`)
  }
  recorder.covered('every client served after recovery')
}

const isAlive = (server: Server, key: string): boolean =>
  server.wall() <= (server.entries.get(key)?.expiresAt ?? -Infinity)

/** Checks that the locks of a call are gone after it has ended and all its requests have been executed. */
export const checkReleased = (
  scenario: Scenario,
  process: string,
  values: ReadonlySet<string>,
): void => {
  const { loop, recorder, rates, servers, clients, abandoned, handedOver } = scenario
  if (!executesAsSent(rates)) return
  // A short timeout can end a release before it is retried.
  if (rates.reset > 0 && scenario.options.nodeTimeout !== undefined) return
  // A node can have granted a different slot from the one that the client won, in a reply that never arrived.
  const mayMiss =
    rates.replyLost + rates.garbled + rates.reset > 0 || scenario.options.nodeTimeout !== undefined
  loop.after(maxDelivery, () => {
    for (const value of values) {
      const isHeld = clients.some(({ held }) => [...held.keys()].some(({ lock }) => lock === value))
      if (isHeld || abandoned.has(value) || handedOver.has(value)) continue
      for (const server of servers) {
        for (const [key, entry] of server.entries) {
          // A record does not contain the whole value of its claim.
          if (!/^lock:[lr]:/.test(key) || !entry.value.startsWith(value)) continue
          if (mayMiss && key.includes('#')) continue
          if (isAlive(server, key)) {
            recorder.violated('leftovers', `${process} left ${value.slice(0, 8)} on ${server.name}`)
          }
        }
      }
    }
    recorder.covered('checked for leftover keys')
  })
}

/** Checks that no timer, request or lock remains after the end of the history. */
export const checkLeftovers = ({ recorder, clients, servers, network }: Scenario): void => {
  for (const { process } of clients) {
    if (process.isAlive() && process.activeTimers() > 0) {
      recorder.violated('timers', `${process.name} has ${process.activeTimers()} left`)
    }
  }
  if (network.requestsUnderWay() > 0) recorder.violated('settled', 'requests are still under way')
  for (const server of servers) {
    for (const [key, { value }] of server.entries) {
      const isClaim = key.startsWith('lock:r:') && value.split(' ')[1] === 'c'
      if ((/^lock:[lt]:/.test(key) || isClaim) && isAlive(server, key)) {
        recorder.violated('leftovers', `${key} is still on ${server.name}`)
      }
    }
  }
}
