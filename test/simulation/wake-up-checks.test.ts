import { describe, expect, it } from 'vitest'
import {
  checkBudget,
  checkClosed,
  checkIdle,
} from '../../verification/simulation/checks/wake-up-checks.ts'
import type { LineCall } from '../../verification/simulation/workload/line.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, madeCall, violated } from './support.ts'

/** A client, a call of it, and a function that opens a stream. */
const openScenario = () => {
  const scenario = calmScenario()
  const client = startClient(scenario, 'p1')
  const call: LineCall = {
    name: 'call-1',
    client,
    delay: 0,
    wait: 1_000,
    retry: { delay: 50, maxDelay: 250 },
    abortAfter: Infinity,
    holdTime: 0,
    made: madeCall([100, 1_100], 'locked'),
  }
  const subscribe = (): AbortController => {
    const controller = new AbortController()
    const { signal } = controller
    const fetch = scenario.network.fetchOf(client.process)
    fetch('https://n1.example/subscribe/q', { signal, redirect: 'manual' }).catch(() => {})
    return controller
  }
  return { scenario, client, call, subscribe }
}

describe('the checks of processes that wait for messages', () => {
  it('report a stream that is still open', () => {
    const { scenario, client, call, subscribe } = openScenario()
    const stream = subscribe()
    checkIdle(scenario, client)
    checkClosed(scenario, [call, call])
    expect(violated(scenario)).toEqual(['streams', 'streams'])
    stream.abort()
    checkClosed(scenario, [call])
    expect(violated(scenario)).toEqual(['streams', 'streams'])
  })

  it('report a timer that is still running', () => {
    const { scenario, client, call } = openScenario()
    const cancel = client.process.clock.setTimer(() => {}, 100)
    checkClosed(scenario, [call])
    expect(violated(scenario)).toEqual(['timers'])
    cancel()
    checkIdle(scenario, client)
    expect(violated(scenario)).toEqual(['timers'])
  })

  it('report more requests than the budget, the release of a lock not included', () => {
    const { scenario, call, subscribe } = openScenario()
    for (let count = 0; count < 3; count++) subscribe()
    checkBudget(scenario, [call], 3)
    checkBudget(scenario, [{ ...call, made: madeCall([100, 1_100], 'won') }], 2)
    expect(violated(scenario)).toEqual([])
    checkBudget(scenario, [call], 2)
    expect(violated(scenario)).toEqual(['budget'])
  })
})
