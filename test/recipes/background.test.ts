import { describe, expect, inject, it } from 'vitest'
import { type LockEvent, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { refuse, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { importFrom } from './page-modules.ts'

// The recipes for work without a request, as their pages show them, over five real servers.

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
const machine = (): Redlock => new Redlock({ nodes, ttl: 10_000 })
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index))
const hour = 3_600_000

describe('docs/recipes/cron.md', () => {
  const page = 'docs/recipes/cron.md'

  it('runs a scheduled time in one of three schedulers, also with a late one', async () => {
    type RunOnce = (
      redlock: Redlock,
      name: string,
      time: number,
      job: () => Promise<void>,
    ) => Promise<boolean>
    const { runOnce } = await importFrom<{ runOnce: RunOnce }>(page, 'at-most-once.ts')
    const name = freshKey()
    let runs = 0
    const run = (time: number): Promise<boolean> =>
      runOnce(machine(), name, time, async () => void runs++)
    const winners = await Promise.all(times(3, () => run(hour)))
    expect(winners.filter(Boolean)).toHaveLength(1)
    expect(await run(hour)).toBe(false)
    expect(runs).toBe(1)
    expect(await run(2 * hour)).toBe(true)
    expect(runs).toBe(2)
    // An outage is no run in another scheduler.
    const down = new Redlock({ nodes: nodes.map((node) => withFault(node, refuse)) })
    await expect(runOnce(down, name, 3 * hour, async () => void runs++)).rejects.toThrow('Too few')
    expect(runs).toBe(2)
  })

  it('repeats a job that failed, and no other', async () => {
    type RunUntilDone = (
      redlock: Redlock,
      name: string,
      time: number,
      record: { last: () => Promise<number>; save: (time: number) => Promise<void> },
      job: (signal: AbortSignal) => Promise<void>,
    ) => Promise<string>
    const { runUntilDone } = await importFrom<{ runUntilDone: RunUntilDone }>(page, 'until-done.ts')
    const name = freshKey()
    let [last, runs] = [0, 0]
    const record = { last: async () => last, save: async (time: number) => void (last = time) }
    const run = (job: () => Promise<void>): Promise<string> =>
      runUntilDone(machine(), name, hour, record, job)
    const work = async (): Promise<void> => {
      runs++
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await expect(run(() => Promise.reject(new Error('no network')))).rejects.toThrow('no network')
    const results = await Promise.all(times(3, () => run(work)))
    expect(results.filter((result) => result === 'done')).toHaveLength(1)
    expect(await run(work)).toBe('done before')
    expect(runs).toBe(1)
  })
})

describe('docs/recipes/queue.md', () => {
  it('holds the lock from the request to the end of the job', async () => {
    type Job = { readonly id: string }
    type Module = {
      enqueue: (
        redlock: Redlock,
        id: string,
        send: (job: Job) => Promise<unknown>,
      ) => Promise<boolean>
      consume: (
        redlock: Redlock,
        job: Job,
        work: (id: string, signal: AbortSignal) => Promise<void>,
      ) => Promise<string>
    }
    const { enqueue, consume } = await importFrom<Module>('docs/recipes/queue.md', 'jobs.ts')
    const id = freshKey()
    const messages: string[] = []
    const request = (): Promise<boolean> =>
      enqueue(machine(), id, async (job) => void messages.push(JSON.stringify(job)))
    const consumption = (work: () => Promise<void>): Promise<string> =>
      consume(machine(), JSON.parse(messages[0]!) as Job, work)
    expect((await Promise.all(times(3, request))).filter(Boolean)).toHaveLength(1)
    let runs = 0
    const result = await consumption(async () => {
      runs++
      expect(await request()).toBe(false)
    })
    expect(result).toBe('acknowledge')
    // The message is delivered once more: its lock is released.
    expect(await consumption(async () => void runs++)).toBe('acknowledge')
    expect(runs).toBe(1)
    expect(await request()).toBe(true)
    await consume(machine(), JSON.parse(messages[1]!) as Job, async () => {})
    await expect(enqueue(machine(), id, () => Promise.reject(new Error('full')))).rejects.toThrow(
      'full',
    )
    expect(await request()).toBe(true)
    await consume(machine(), JSON.parse(messages[2]!) as Job, async () => {})
  })
})

describe('docs/recipes/logging-metrics.md', () => {
  it('counts what really happens, with the node that fails', async () => {
    const page = 'docs/recipes/logging-metrics.md'
    type Module = { count: (event: LockEvent) => void; metrics: () => string }
    const { count, metrics } = await importFrom<Module>(page, 'metrics.ts')
    const sick = nodes.map((node, index) => (index === 0 ? withFault(node, refuse) : node))
    const redlock = new Redlock({ nodes: sick, onEvent: count })
    const key = `report:${freshKey()}`
    const lock = await redlock.acquire(key)
    expect((await redlock.tryAcquire(key)).ok).toBe(false)
    await lock.release()
    const text = metrics()
    expect(text).toContain(
      'redlock_events_total{lock="report",type="rejected",reason="locked",node=""} 1\n',
    )
    expect(text).toContain('redlock_call_seconds_count{lock="report",type="acquired"} 1\n')
    expect(text).toContain(`type="node-error",reason="",node="${nodes[0]!.url}"`)
    // Each line is a comment or a sample of the text format of Prometheus.
    const label = String.raw`\w+="(?:[^"\\\n]|\\["\\n])*"`
    const line = new RegExp(
      String.raw`^(?:# .+|\w+\{${label}(?:,${label})*\} \d+(?:\.\d+)?(?:e-\d+)?)$`,
    )
    expect(
      text
        .trimEnd()
        .split('\n')
        .filter((one) => !line.test(one)),
    ).toEqual([])
  })
})
