import { describe, expect, it } from 'vitest'
import { checkLines, type LineRules } from '../../verification/simulation/checks/line-checks.ts'
import { checkStream } from '../../verification/simulation/checks/stream-check.ts'
import type { LineCall } from '../../verification/simulation/workload/line.ts'
import type { Scenario, SimulatedClient } from '../../verification/simulation/workload/scenario.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, madeCall, violated } from './support.ts'

type Result = Parameters<typeof madeCall>[1] | 'none'

const rules: LineRules = {
  lastAttempt: 100,
  maxPause: ({ retry }) => retry.maxDelay,
  attemptTime: 100,
  attempts: 1,
  held: [{ from: 0, until: Infinity }],
  outageFrom: Infinity,
  expiresAt: Infinity,
}

/** A line in one process, whose calls settle at the end of their waits. */
const openLine = () => {
  const scenario = calmScenario()
  const client = startClient(scenario, 'p1')
  const call = (
    name: string,
    [calledAt, settledAt]: readonly [number, number],
    {
      result = 'locked',
      retryAfter,
      ...changes
    }: Partial<LineCall> & { result?: Result; retryAfter?: number } = {},
  ): LineCall => ({
    name,
    client,
    delay: 0,
    wait: settledAt - calledAt,
    retry: { delay: 50, maxDelay: 250 },
    abortAfter: Infinity,
    holdTime: 0,
    ...changes,
    made: madeCall([calledAt, settledAt], result === 'none' ? undefined : result, retryAfter),
  })
  return { scenario, client, call }
}

/** A call has asked the nodes. */
const asked = (
  { recorder }: Scenario,
  { process }: SimulatedClient,
  call: string,
  [sentAt, answeredAt]: readonly [number, number],
  acquires: number = 3,
): void =>
  void recorder.askings.set(`${call} ${sentAt}`, {
    process: process.name,
    metadata: call,
    sentAt,
    acquires,
    answeredAt,
  })

describe('checkLines', () => {
  it('accepts a refusal after a request of the call, or a fresh answer to another', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    asked(scenario, client, 'call-1', [900, 910])
    const calls = [call('call-1', [100, 1_000]), call('call-2', [500, 1_000])]
    checkLines(scenario, calls, rules)
    expect(violated(scenario)).toEqual([])
  })

  it('reports a refusal without a request and without a fresh answer', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    checkLines(scenario, [call('call-1', [100, 1_000]), call('call-2', [500, 1_000])], rules)
    expect(violated(scenario)).toEqual(['unasked'])
  })

  it('reports calls that outlive their wait or their abort', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    checkLines(scenario, [call('call-1', [100, 600], { wait: 300 })], rules)
    expect(violated(scenario)).toEqual(['wait'])
    const aborted = { result: 'aborted', wait: 1_000, abortAfter: 200 } as const
    checkLines(scenario, [call('call-1', [100, 300], aborted)], rules)
    expect(violated(scenario)).toEqual(['wait'])
    checkLines(scenario, [call('call-1', [100, 310], aborted)], rules)
    expect(violated(scenario)).toEqual(['wait', 'wait'])
  })

  it('reports a call that waits although nobody holds the lock', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    const calls = [call('call-1', [100, 1_000])]
    checkLines(scenario, calls, { ...rules, held: [{ from: 0, until: 700 }] })
    expect(violated(scenario)).toEqual([])
    checkLines(scenario, calls, { ...rules, held: [{ from: 0, until: 600 }] })
    expect(violated(scenario)).toEqual(['free lock'])
  })

  it('reports `locked` in an outage', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, Infinity])
    const calls = [call('call-1', [100, 1_000], { result: 'unavailable' })]
    checkLines(scenario, calls, { ...rules, outageFrom: 50 })
    expect(violated(scenario)).toEqual([])
    checkLines(scenario, [call('call-1', [100, 1_000])], { ...rules, outageFrom: 50 })
    expect(violated(scenario)).toEqual(['outage'])
  })

  it('reports a call that is refused long before the end of its wait', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    checkLines(scenario, [call('call-1', [100, 910], { wait: 900 })], rules)
    expect(violated(scenario)).toEqual([])
    checkLines(scenario, [call('call-1', [100, 600], { wait: 900 })], rules)
    expect(violated(scenario)).toEqual(['impatience'])
  })

  it('accepts that a call whose tries are counted gives up before', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    const retry = { delay: 50, maxDelay: 250, attempts: 2 }
    checkLines(scenario, [call('call-1', [100, 600], { wait: 900, retry })], rules)
    expect(violated(scenario)).toEqual([])
  })

  it('reports `unavailable` although a majority is well, and the call had time to ask it', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, Infinity])
    const unavailable = { result: 'unavailable' } as const
    checkLines(scenario, [call('call-1', [100, 200], unavailable)], rules)
    expect(violated(scenario)).toEqual([])
    checkLines(scenario, [call('call-1', [100, 210], unavailable)], rules)
    expect(violated(scenario)).toEqual(['reason'])
  })

  it('reports a time to retry that has not been counted down', () => {
    const { scenario, client, call } = openLine()
    asked(scenario, client, 'call-1', [100, 110])
    const expiring = { ...rules, expiresAt: 5_000 }
    checkLines(scenario, [call('call-1', [100, 1_000], { retryAfter: 4_000 })], expiring)
    expect(violated(scenario)).toEqual([])
    checkLines(scenario, [call('call-1', [100, 1_000], { retryAfter: 4_900 })], expiring)
    expect(violated(scenario)).toEqual(['retryAfter'])
  })

  it('reports a call that has not settled', () => {
    const { scenario, call } = openLine()
    checkLines(scenario, [call('call-1', [100, 1_000], { result: 'none' })], rules)
    expect(violated(scenario)).toEqual(['settled'])
  })
})

describe('checkStream', () => {
  it('reports a line that asks all nodes for each call that gives up', () => {
    const { scenario, client, call } = openLine()
    const ends = Array.from({ length: 30 }, (_, index) => 500 + 10 * index)
    const calls = ends.map((end) => call(`call-${end}`, [end - 400, end]))
    for (const at of [500, 650, 750]) asked(scenario, client, 'call-500', [at, at + 10])
    checkStream(scenario, calls)
    expect(violated(scenario)).toEqual([])
    for (const end of ends) asked(scenario, client, `call-${end}`, [end, end + 10])
    checkStream(scenario, calls)
    expect(violated(scenario)).toEqual(['line requests'])
  })
})
