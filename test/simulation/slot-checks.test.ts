import { describe, expect, it } from 'vitest'
import {
  checkLimit,
  checkSlotName,
  haveSameHolders,
  requestsOfRefusal,
} from '../../verification/simulation/checks/slot-checks.ts'
import type { Scenario } from '../../verification/simulation/workload/scenario.ts'
import { calmScenario, takeSteps, type Timed, violated } from './support.ts'

const target = { key: 'k', limit: 2 }

/** Clients hold slots of `k` in these periods. */
const hold = (scenario: Scenario, ...holds: [slot: string, from: number, until: number][]): void =>
  void takeSteps(
    scenario,
    ...holds.map(([slot, from, validUntil]): Timed[] => [
      [from, { type: 'called', kind: 'slots', keys: ['k'] }],
      [from, { type: 'acquired', keys: [slot], lock: `${slot} ${from}`, validUntil }],
    ]),
  )

describe('checkLimit', () => {
  it('accepts as many holders at once as there are slots', () => {
    const scenario = calmScenario()
    hold(scenario, ['k#1', 0, 100], ['k#2', 50, 150], ['k#1', 100, 200])
    checkLimit(scenario, target)
    expect(violated(scenario)).toEqual([])
    expect(scenario.recorder.coverage.get('slots: holders full')).toBe(1)
  })

  it('reports one holder too many', () => {
    const scenario = calmScenario()
    hold(scenario, ['k#1', 0, 100], ['k#2', 0, 100], ['k#3', 0, 100])
    checkLimit(scenario, target)
    expect(violated(scenario)).toEqual(['holders'])
  })
})

describe('checkSlotName', () => {
  it.each([
    ['k#1', []],
    ['k#2', []],
    ['k#3', ['slot']],
    ['k#0', ['slot']],
    ['k', ['slot']],
  ])('judges %s of two slots', (name, expected) => {
    const scenario = calmScenario()
    checkSlotName(scenario, [name], 2)
    expect(violated(scenario)).toEqual(expected)
  })
})

const set = ({ servers }: Scenario, server: number, slot: number, value: string): void =>
  void servers[server]!.entries.set(`lock:l:k#${slot}`, { value, expiresAt: Infinity })
const allTaken = (): Scenario => {
  const scenario = calmScenario()
  for (const server of scenario.servers.keys()) {
    set(scenario, server, 1, 'a')
    set(scenario, server, 2, 'b')
  }
  return scenario
}

describe('haveSameHolders', () => {
  it('is true if every server has the same holder for each slot', () => {
    expect(haveSameHolders(allTaken(), target)).toBe(true)
  })

  it('is false if a server has another one, an expired one or none', () => {
    const other = allTaken()
    set(other, 1, 2, 'c')
    expect(haveSameHolders(other, target)).toBe(false)
    const expired = allTaken()
    expired.servers[2]!.entries.set('lock:l:k#1', { value: 'a', expiresAt: 0 })
    expect(haveSameHolders(expired, target)).toBe(false)
    const free = allTaken()
    for (const { entries } of free.servers) entries.delete('lock:l:k#1')
    expect(haveSameHolders(free, target)).toBe(false)
  })
})

describe('requestsOfRefusal', () => {
  it('is one for a frugal call whose first node has no slot left', () => {
    const scenario = allTaken()
    scenario.servers[2]!.entries.delete('lock:l:k#1')
    expect(requestsOfRefusal(scenario, target, 'frugal')).toEqual([1, 1])
  })

  it('is more for a frugal call whose first node has a slot left', () => {
    const scenario = allTaken()
    scenario.servers[0]!.entries.delete('lock:l:k#1')
    const [min, max] = requestsOfRefusal(scenario, target, 'frugal')
    expect(min).toBe(scenario.servers.length)
    expect(max).toBeGreaterThan(min)
  })

  it('is one for each node for any other call', () => {
    const scenario = allTaken()
    const { length } = scenario.servers
    expect(requestsOfRefusal(scenario, target, 'parallel')).toEqual([length, length])
    set(scenario, 2, 1, 'c')
    const [min, max] = requestsOfRefusal(scenario, target, 'parallel')
    expect(min).toBe(length)
    expect(max).toBeGreaterThan(min)
  })
})
