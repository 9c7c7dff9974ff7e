import { describe, expect, it } from 'vitest'
import {
  checkLimit,
  checkSlotName,
  haveSameHolders,
  requestsOfRefusal,
} from '../../verification/simulation/checks/slot-checks.ts'
import type { Scenario } from '../../verification/simulation/workload/scenario.ts'
import { calmScenario, violated } from './support.ts'

/** A client holds a slot in that period. */
const hold = ({ recorder }: Scenario, slot: string, [from, until]: [number, number]): void =>
  void recorder.holds.push({ process: 'c', keys: [slot], value: `${slot} ${from}`, from, until })

describe('checkLimit', () => {
  it('accepts as many holders at once as there are slots', () => {
    const scenario = calmScenario()
    hold(scenario, 'k#1', [0, 100])
    hold(scenario, 'k#2', [50, 150])
    hold(scenario, 'k#1', [100, 200])
    checkLimit(scenario, 2, [])
    expect(violated(scenario)).toEqual([])
    expect(scenario.recorder.coverage.get('slots: holders full')).toBe(1)
  })

  it('reports one holder too many', () => {
    const scenario = calmScenario()
    for (const slot of ['k#1', 'k#2', 'k#3']) hold(scenario, slot, [0, 100])
    checkLimit(scenario, 2, [])
    expect(violated(scenario)).toEqual(['holders'])
  })

  it('reports one pass too many, from its return until a window after its first request', () => {
    const pass = (requestedAt: number, returnedAt: number) => ({
      key: 'k',
      window: 100,
      requestedAt,
      returnedAt,
    })
    const scenario = calmScenario()
    checkLimit(scenario, 1, [pass(0, 10), pass(90, 100)])
    expect(violated(scenario)).toEqual([])
    checkLimit(scenario, 1, [pass(0, 10), pass(80, 90)])
    expect(violated(scenario)).toEqual(['passes'])
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

const target = { key: 'k', limit: 2 }
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
