import { describe, expect, it } from 'vitest'
import { answerTime, checkOutage } from '../../verification/simulation/checks/outage-checks.ts'
import type { BurstCall } from '../../verification/simulation/workload/burst.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, madeCall, violated } from './support.ts'

/** The checks that one call violates, in an outage in which a try takes 2,000 ms at most. */
const violatedBy = (
  call: Partial<BurstCall> & {
    readonly result?: Parameters<typeof madeCall>[1]
    readonly settledAt?: number
  },
  { isThrottle = false, isSilent = true }: { isThrottle?: boolean; isSilent?: boolean } = {},
): string[] => {
  const scenario = calmScenario()
  const client = { ...startClient(scenario, 'c'), strategy: 'parallel' as const }
  const { result, settledAt } = { result: 'unavailable' as const, settledAt: 2_100, ...call }
  const target = { key: 'k', isThrottle, ttl: 10_000, limit: 2 }
  const calls = [{ client, delay: 0, wait: 0, ...call, made: madeCall([100, settledAt], result) }]
  checkOutage(scenario, calls, target, { maxTime: 2_000, isSilent })
  return violated(scenario)
}

describe('checkOutage', () => {
  it('accepts a call that is told of the outage in time', () => {
    expect(violatedBy({})).toEqual([])
    expect(violatedBy({ wait: 500, settledAt: 600 })).toEqual([])
  })

  it.each(['won', 'locked', undefined] as const)('reports a call that is told %s', (result) => {
    expect(violatedBy({ result })).toEqual(['outage'])
  })

  it('lets the node that a frugal call asks first refuse it', () => {
    const client = { ...startClient(calmScenario(), 'c'), strategy: 'frugal' as const }
    expect(violatedBy({ client, result: 'locked' })).toEqual([])
    expect(violatedBy({ client, result: 'won' })).toEqual(['outage'])
  })

  it('lets the nodes that answer refuse a call that ends before silence tells anything', () => {
    const call = { wait: 200, settledAt: 300, result: 'locked' } as const
    expect(violatedBy(call)).toEqual([])
    expect(violatedBy({ ...call, result: 'won' })).toEqual(['outage'])
    expect(violatedBy({ ...call, wait: 300, settledAt: 400 })).toEqual(['outage'])
    expect(violatedBy(call, { isSilent: false })).toEqual(['outage'])
    expect(violatedBy(call, { isThrottle: true })).toEqual(['outage'])
  })

  it('reports a call that takes longer than a try', () => {
    expect(violatedBy({ settledAt: 2_102 })).toEqual(['outage latency'])
  })

  it('reports a call that takes longer than its `wait`', () => {
    expect(violatedBy({ wait: 500, settledAt: 602 })).toEqual(['outage latency'])
  })

  it('lets a throttle finish the try that it has begun', () => {
    const isThrottle = true
    expect(violatedBy({ wait: 500, settledAt: 2_599 }, { isThrottle })).toEqual([])
    expect(violatedBy({ wait: 500, settledAt: 2_602 }, { isThrottle })).toEqual(['outage latency'])
  })
})

describe('answerTime', () => {
  it('is the node timeout where nodes hang, and a few round trips where they fail at once', () => {
    const scenario = calmScenario()
    expect(answerTime(scenario, false, 20)).toBe(2_040)
    expect(answerTime(scenario, true, 20)).toBe(45)
  })
})
