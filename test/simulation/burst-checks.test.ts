import { describe, expect, it } from 'vitest'
import { type BurstRules, checkBurst } from '../../verification/simulation/checks/burst-checks.ts'
import type { BurstCall } from '../../verification/simulation/workload/burst.ts'
import type { Scenario } from '../../verification/simulation/workload/scenario.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, madeCall, violated } from './support.ts'

const rules: BurstRules = {
  name: 'all nodes are well',
  weather: 'all nodes are well',
  minWinners: 1,
  maxWinners: 1,
  isAnswered: true,
  limitsTime: true,
  roundTrip: 20,
  hasLateNodes: false,
}

let clients = 0

/** A call that does not wait, and settles after so many ms. */
const call = (
  scenario: Scenario,
  result: Parameters<typeof madeCall>[1],
  time: number,
  wait: number = 0,
): BurstCall => ({
  client: startClient(scenario, `b${++clients}`),
  delay: 0,
  wait,
  made: madeCall([100, 100 + time], result),
})

describe('checkBurst', () => {
  it('accepts one winner, and refusals in time', () => {
    const scenario = calmScenario()
    checkBurst(scenario, [call(scenario, 'won', 30), call(scenario, 'locked', 60)], rules)
    expect(violated(scenario)).toEqual([])
    expect(scenario.recorder.coverage.get('burst with one winner: all nodes are well')).toBe(1)
    expect([...scenario.recorder.samples]).toEqual([
      ['all nodes are well, winner', [1.5]],
      ['all nodes are well, refusal', [3]],
    ])
  })

  it('reports a burst with two winners', () => {
    const scenario = calmScenario()
    checkBurst(scenario, [call(scenario, 'won', 30), call(scenario, 'won', 30)], rules)
    expect(violated(scenario)).toEqual(['burst'])
  })

  it('counts a burst without a winner, by its weather', () => {
    const scenario = calmScenario()
    const calls = [call(scenario, 'locked', 30), call(scenario, 'locked', 30)]
    checkBurst(scenario, calls, rules)
    checkBurst(scenario, calls, { ...rules, weather: 'a node hangs' })
    checkBurst(scenario, [...calls, call(scenario, 'won', 30)], rules)
    expect(violated(scenario)).toEqual([])
    expect([...scenario.recorder.winners]).toEqual([
      ['all nodes are well', { bursts: 2, lost: 1 }],
      ['a node hangs', { bursts: 1, lost: 1 }],
    ])
    expect(scenario.recorder.coverage.get('burst without a winner: all nodes are well')).toBe(2)
  })

  it('reports more winners than a burst may have, and counts it as lost with fewer', () => {
    const withWinners = (count: number): [string[], number] => {
      const scenario = calmScenario()
      const calls = [1, 2, 3, 4].map((turn) => call(scenario, turn <= count ? 'won' : 'locked', 30))
      checkBurst(scenario, calls, { ...rules, minWinners: 2, maxWinners: 3 })
      return [violated(scenario), scenario.recorder.winners.get('all nodes are well')!.lost]
    }
    expect([1, 2, 3, 4].map(withWinners)).toEqual([
      [[], 1],
      [[], 0],
      [[], 0],
      [['burst'], 0],
    ])
  })

  it('counts a client as the winner that died with the lock on a quorum', () => {
    const lostAfter = (servers: number): number => {
      const scenario = calmScenario()
      const [dead, other] = [call(scenario, undefined, 0), call(scenario, 'locked', 30)]
      const { process } = dead.client
      const value = 'a-secret-of-the-client-that-dies'
      for (const { name, entries } of scenario.servers.slice(0, servers)) {
        const command = ['EVALSHA', 'sha', '1', 'lock:l:burst', 'a', value]
        scenario.recorder.beginCall(process.name)
        scenario.recorder.requestSent(process.name, name, command)
        entries.set('lock:l:burst', { value, expiresAt: Infinity })
      }
      process.kill()
      checkBurst(scenario, [dead, other], rules)
      expect(violated(scenario)).toEqual([])
      return scenario.recorder.winners.get('all nodes are well')!.lost
    }
    expect([1, 2].map(lostAfter)).toEqual([1, 0])
  })

  it('reports a call that takes many round trips, or has not settled', () => {
    const scenario = calmScenario()
    const slow = call(scenario, 'locked', 2_000)
    checkBurst(scenario, [call(scenario, 'won', 30), slow], rules)
    expect(violated(scenario)).toEqual(['latency'])
    checkBurst(scenario, [call(scenario, 'won', 30), slow], { ...rules, limitsTime: false })
    expect(violated(scenario)).toEqual(['latency'])
    checkBurst(scenario, [call(scenario, 'won', 30), call(scenario, undefined, 0)], rules)
    expect(violated(scenario)).toEqual(['latency', 'settled'])
  })

  it('reports a call that outlives its wait', () => {
    const scenario = calmScenario()
    const calls = [call(scenario, 'won', 30), call(scenario, 'locked', 500, 500)]
    checkBurst(scenario, calls, rules)
    expect(violated(scenario)).toEqual([])
    checkBurst(scenario, [...calls, call(scenario, 'locked', 502, 500)], rules)
    expect(violated(scenario)).toEqual(['wait'])
  })

  it('reports a call that is refused long before the end of its wait', () => {
    const scenario = calmScenario()
    const early = { ...call(scenario, 'locked', 500), wait: 1_000 }
    checkBurst(scenario, [call(scenario, 'won', 30), early], rules)
    expect(violated(scenario)).toEqual(['impatience'])
    // Where a node is late, the next attempt may take what is left.
    const late = calmScenario()
    checkBurst(late, [call(late, 'won', 30), early], { ...rules, hasLateNodes: true })
    expect(violated(late)).toEqual([])
  })

  it('reports an outage that a client sees although a majority answers', () => {
    const scenario = calmScenario()
    const calls = [call(scenario, 'won', 30), call(scenario, 'unavailable', 30)]
    checkBurst(scenario, calls, { ...rules, isAnswered: false })
    expect(violated(scenario)).toEqual([])
    checkBurst(scenario, calls, rules)
    expect(violated(scenario)).toEqual(['reason'])
  })
})
