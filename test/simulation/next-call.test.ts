import { describe, expect, it } from 'vitest'
import type { BurstCall } from '../../verification/simulation/workload/burst.ts'
import { callNext } from '../../verification/simulation/workload/next-call.ts'
import type { Scenario } from '../../verification/simulation/workload/scenario.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, madeCall, violated } from './support.ts'

const target = { key: 'k', isThrottle: false, ttl: 10_000 }
const noneSick = () => false
const coverage = 'next call after a burst without a winner'

/** A call that was refused, and what it has left on so many servers. */
const refusedCall = (scenario: Scenario, servers: number): BurstCall => {
  const client = startClient(scenario, 'b1')
  const value = 'a-secret-of-the-client-that-was-refused'
  for (const { name, entries } of scenario.servers.slice(0, servers)) {
    scenario.recorder.beginCall('b1')
    scenario.recorder.requestSent('b1', name, ['EVALSHA', 'sha', '1', 'lock:l:k', 'a', value])
    entries.set('lock:l:k', { value, expiresAt: Infinity })
  }
  return { client, delay: 0, wait: 0, made: madeCall([0, 0], 'locked') }
}

describe('callNext', () => {
  it('gets the lock after a burst that has left nothing', async () => {
    const scenario = calmScenario()
    await callNext(scenario, [refusedCall(scenario, 0)], target, noneSick)
    expect(violated(scenario)).toEqual([])
    expect(scenario.recorder.coverage.get(coverage)).toBe(1)
  })

  it('reports a lock that a client has left, on a node that is well', async () => {
    const scenario = calmScenario()
    const calls = [refusedCall(scenario, 2)]
    await callNext(scenario, calls, target, noneSick)
    expect(violated(scenario)).toEqual(['leftovers', 'leftovers'])
    await callNext(scenario, calls, target, () => true)
    expect(violated(scenario)).toEqual(['leftovers', 'leftovers'])
  })

  it('asks for nothing that a client keeps which has died', async () => {
    const scenario = calmScenario()
    const call = refusedCall(scenario, 2)
    call.client.process.kill()
    await callNext(scenario, [call], target, noneSick)
    expect(violated(scenario)).toEqual([])
    expect(scenario.recorder.coverage.get(coverage)).toBeUndefined()
  })

  it('reports that the next call is refused', async () => {
    const scenario = calmScenario()
    for (const { name } of scenario.servers) {
      scenario.network.health.strike(name, { kind: 'refuses' })
    }
    await callNext(scenario, [refusedCall(scenario, 0)], target, noneSick)
    expect(violated(scenario)).toEqual(['next call'])
  })
})
