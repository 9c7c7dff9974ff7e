import { describe, expect, it } from 'vitest'
import { LockedError, QuorumError } from '../../src/index.ts'
import { NotRecordedError } from '../../src/entries/idempotency.ts'
import { checkShared } from '../../verification/simulation/checks/once-checks.ts'
import { checkOnceError, RunError } from '../../verification/simulation/checks/once-errors.ts'
import {
  makeOnceLog,
  type OnceCall,
  onceName,
  type OnceRun,
} from '../../verification/simulation/checks/once-log.ts'
import {
  checkLeftovers,
  checkReleased,
} from '../../verification/simulation/checks/recovery-checks.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, takeSteps, violated } from './support.ts'

const key = `lock:r:once:${onceName}`

const openLog = (keepFor: number = 1_000) => {
  const scenario = calmScenario()
  const { loop, servers } = scenario
  const log = makeOnceLog(scenario)
  const [one, other] = ['c1', 'c2'].map((name) => startClient(scenario, name))
  const call = (client = one!, wait = 5_000): OnceCall => log.called({ client, keepFor, wait })
  /** The servers have the value from now on. */
  const record = ({ content }: OnceRun, count: number = servers.length): void => {
    const value = `id d 1 id:1 ${JSON.stringify({ body: btoa(JSON.stringify(content)) })}`
    for (const server of servers.slice(0, count)) {
      server.entries.set(key, { value, expiresAt: server.wall() + Math.max(keepFor, 500) })
    }
  }
  const begin = (of: OnceCall): OnceRun => {
    const { name } = of.client.process
    const [hold] = takeSteps(scenario, [
      [loop.now(), { type: 'called', kind: 'lock', keys: [] }],
      [loop.now(), { type: 'acquired', lock: name, validUntil: Infinity }],
    ])
    return log.begin(of, hold!)
  }
  const end = (run: OnceRun, count?: number): void => {
    run.hold.releasingAt = loop.now()
    log.returned(run)
    record(run, count)
  }
  /** Calls, runs and gets the value. */
  const runAll = (client = one!): OnceRun => {
    const own = call(client)
    const run = begin(own)
    end(run)
    log.got(own, run.content)
    return run
  }
  return { scenario, log, one: one!, other: other!, call, begin, end, runAll, loop }
}

const pass = ({ loop }: ReturnType<typeof openLog>, time: number): Promise<void> =>
  loop.runUntil(loop.now() + time)

describe('the log of once', () => {
  it('accepts a value that all get, and a new one once it has expired', async () => {
    const opened = openLog()
    const { log, call, other, runAll } = opened
    const { content } = runAll()
    await pass(opened, 100)
    log.got(call(other), content)
    await pass(opened, 1_000)
    runAll(other)
    expect(violated(opened.scenario)).toEqual([])
  })

  it('reports a run beside another one', () => {
    const { scenario, begin, call, other } = openLog()
    begin(call())
    begin(call(other))
    expect(violated(scenario)).toEqual(['once'])
  })

  it('accepts a run after one whose process has died', () => {
    const { scenario, begin, call, one, other } = openLog()
    begin(call())
    one.process.kill()
    begin(call(other))
    expect(violated(scenario)).toEqual([])
  })

  it('reports a run and another value while one is kept', async () => {
    const opened = openLog()
    const { log, call, other, runAll, begin, end } = opened
    runAll()
    await pass(opened, 10)
    const late = call(other)
    const run = begin(late)
    expect(violated(opened.scenario)).toEqual(['kept'])
    end(run)
    log.got(late, run.content)
    expect(violated(opened.scenario)).toEqual(['kept', 'one value'])
  })

  it('accepts another value after a call of forget', async () => {
    const opened = openLog()
    opened.runAll()
    await pass(opened, 10)
    opened.log.forget()
    await pass(opened, 10)
    opened.runAll(opened.other)
    expect(violated(opened.scenario)).toEqual([])
  })

  it('reports a value that a minority has', () => {
    const { scenario, log, call, begin, end } = openLog()
    const own = call()
    const run = begin(own)
    end(run, 1)
    log.got(own, run.content)
    expect(violated(scenario)).toEqual(['majority'])
  })

  it('reports a value of no run, and one of a run that has not returned', () => {
    const { scenario, log, call, begin } = openLog()
    log.got(call(), 'value-7')
    const own = call()
    log.got(own, begin(own).content)
    expect(violated(scenario)).toEqual(['value', 'value'])
  })

  it('reports a value that was given up', async () => {
    const opened = openLog()
    const { log, call, other, runAll, loop } = opened
    const run = runAll()
    await pass(opened, 10)
    const forgetting = log.forget()
    forgetting.isComplete = true
    forgetting.endedAt = loop.now()
    await pass(opened, 10)
    log.got(call(other), run.content)
    expect(violated(opened.scenario)).toEqual(['forgotten'])
  })
})

describe('checkShared', () => {
  it('reports a call that waited during a run, and got another value', async () => {
    const opened = openLog(0)
    const { scenario, log, call, other, begin, end } = opened
    const own = call()
    const run = begin(own)
    await pass(opened, 10)
    const waiting = call(other)
    const impatient = call(other, 100)
    await pass(opened, 100)
    end(run)
    log.got(own, run.content)
    log.got(waiting, run.content)
    checkShared(scenario, log)
    expect(violated(scenario)).toEqual([])
    expect(scenario.recorder.coverage.get('once: shared')).toBe(1)
    delete impatient.content
    delete waiting.content
    checkShared(scenario, log)
    expect(violated(scenario)).toEqual(['share'])
  })
})

describe('checkShared, later', () => {
  it('reports a value that others got long before the call', async () => {
    const opened = openLog(0)
    const { scenario, log, call, other, runAll } = opened
    const { content } = runAll()
    await pass(opened, 400)
    log.got(call(other), content)
    checkShared(scenario, log)
    expect(violated(scenario)).toEqual([])
    await pass(opened, 1_000)
    log.got(call(other), content)
    checkShared(scenario, log)
    expect(violated(scenario)).toEqual(['fresh'])
  })
})

describe('checkOnceError', () => {
  const judge = (error: (call: OnceCall) => unknown, hasRun: boolean): string[] => {
    const { scenario, call, begin } = openLog()
    const own = call()
    if (hasRun) begin(own)
    checkOnceError(scenario, own, error(own))
    return violated(scenario)
  }
  const report = { retryAfter: 1, nodes: [] }
  const locked = () => new LockedError([onceName], report)
  const notRecorded = (value: string) => () => new NotRecordedError(onceName, 'lost', { value })

  it('accepts the errors of calls', () => {
    expect(judge((call) => new RunError(call), true)).toEqual([])
    expect(judge(locked, false)).toEqual([])
    expect(judge(notRecorded('value-1'), true)).toEqual([])
  })

  it.each<[string, (call: OnceCall) => unknown, boolean, string]>([
    ['the error of another run', (call) => new RunError({ ...call }), false, 'errors'],
    ['a refusal of a call that has run', locked, true, 'errors'],
    ['an error that is not documented', () => new TypeError('oh'), false, 'errors'],
    ['an error without the value of the run', notRecorded('value-2'), true, 'errors'],
    ['a call that did not run and has a value', notRecorded('value-1'), false, 'errors'],
    [
      'an outage of nodes that are well',
      () => new QuorumError([onceName], report),
      false,
      'outage',
    ],
  ])('reports %s', (_, error, hasRun, check) => {
    expect(judge(error, hasRun)).toEqual([check])
  })
})

describe('the checks for leftovers', () => {
  const leave = (value: string) => {
    const opened = openLog()
    for (const { entries } of opened.scenario.servers) {
      entries.set(key, { value, expiresAt: Infinity })
    }
    return opened
  }

  it.each([
    ['a claim', 'secret-1 c once', 'leftovers'],
    ['a record', 'id d 1 id:1 {}', undefined],
  ])('judge %s', async (_, value, check) => {
    const opened = leave(value)
    checkReleased(opened.scenario, 'c1', new Set(['secret-1']))
    await pass(opened, 1_000)
    checkLeftovers(opened.scenario)
    expect(new Set(violated(opened.scenario))).toEqual(new Set(check ? [check] : []))
  })
})
