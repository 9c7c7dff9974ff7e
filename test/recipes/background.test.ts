import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { count, metrics } from '../../examples/grafana/metrics.ts'
import type { Job } from '../../examples/queue/job.ts'
import worker from '../../examples/queue/worker.ts'
import { isLockedError, type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { importFrom } from './page-modules.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

// The recipes for work without a request, as their pages show them, over five real servers.

const machine = (): Redlock => new Redlock({ nodes, ttl: 10_000 })
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index))

describe('docs/recipes/queues.md', () => {
  const page = 'docs/recipes/queues.md'

  it('holds the lock from the request to the end of the job', async () => {
    const id = freshKey()
    const messages: Job[] = []
    let isFull = false
    const send = async (job: Job): Promise<void> => {
      if (isFull) throw new Error('full')
      messages.push(structuredClone(job))
    }
    const envOf = (given: unknown) => ({ REDLOCK_NODES: given as string, JOBS: { send } })
    const request = async (): Promise<number> => {
      const url = `https://example.com/reports/${id}`
      const background: Promise<unknown>[] = []
      const ctx = { waitUntil: (work: Promise<unknown>) => void background.push(work) }
      const context = { ...ctx, passThroughOnException: () => {}, props: {} }
      const given = new Request(url, { method: 'POST' })
      const { status } = await worker.fetch(given, envOf(nodes), context)
      await Promise.all(background)
      return status
    }
    /** Delivers the last message. */
    const deliver = async (given: unknown = nodes): Promise<string | undefined> => {
      let said: string | undefined
      const [ack, retry] = ['ack', 'retry'].map((word) => () => void (said = word))
      const message = { body: messages.at(-1)!, ack: ack!, retry: retry! }
      await worker.queue({ messages: [message] }, envOf(given))
      return said
    }
    const statuses = await Promise.all(times(3, request))
    expect(statuses.toSorted((one, other) => one - other)).toEqual([202, 409, 409])
    // A job that fails keeps its lock, and its message is delivered again.
    expect(await deliver(nodes.map((node) => withFault(node, reject)))).toBe('retry')
    expect(await request()).toBe(409)
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    const delivery = deliver()
    expect(await request()).toBe(409)
    expect(await delivery).toBe('ack')
    // The message is delivered once more: its lock is released.
    expect(await deliver()).toBe('ack')
    expect(log).toHaveBeenCalledTimes(1)
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => error.mockRestore())
    isFull = true
    expect(await request()).toBe(500)
    isFull = false
    expect(await request()).toBe(202)
    expect(await deliver()).toBe('ack')
  })

  it('handles an event of a queue once, and again only if that fails', async () => {
    type HandleOnce = (redlock: Redlock, id: string, handle: () => Promise<void>) => Promise<void>
    const { handleOnce } = await importFrom<{ handleOnce: HandleOnce }>(page, 'event.ts')
    const id = freshKey()
    const consume = (handle: () => Promise<void>): Promise<void> =>
      handleOnce(machine(), id, handle)
    let runs = 0
    await expect(consume(() => Promise.reject(new Error('no mail')))).rejects.toThrow('no mail')
    await consume(async () => {
      runs++
      expect(isLockedError(await consume(async () => {}).catch((error) => error))).toBe(true)
    })
    await consume(async () => void runs++)
    expect(runs).toBe(1)
  })
})

describe('docs/guides/production.md', () => {
  const page = 'docs/guides/production.md'
  type OnEvent = (event: LockEvent) => void

  it('logs an outage as an error with the reason of each node, and nothing that is normal', async () => {
    const { log } = await importFrom<{ log: OnEvent }>(page, 'log.ts')
    const lines = (['error', 'warn'] as const).map((level) => {
      const spy = vi.spyOn(console, level).mockImplementation(() => {})
      onTestFinished(() => spy.mockRestore())
      return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)) as LockEvent)
    })
    const [errors, warnings] = lines as [() => LockEvent[], () => LockEvent[]]
    const memory = memoryNodes(3)
    const redlock = new Redlock({ nodes: memory, onEvent: log })
    await (await redlock.acquire('report')).release()
    expect([...errors(), ...warnings()]).toEqual([])
    memory[0]!.fail(new Error('out of memory'))
    memory[1]!.fail()
    await redlock.tryAcquire('report')
    expect(errors()).toMatchObject([{ type: 'rejected', reason: 'unavailable' }])
    expect(JSON.stringify(errors())).toContain('out of memory')
    expect(warnings().map(({ type }) => type)).toEqual(['node-down', 'node-down'])
  })

  it('writes a data point per call and per lost lock', async () => {
    type Point = { indexes: string[]; blobs: string[] }
    type ToAnalytics = (dataset: { writeDataPoint: (point: Point) => void }) => OnEvent
    type Module = { toAnalytics: ToAnalytics }
    const { toAnalytics } = await importFrom<Module>(page, 'analytics.ts')
    const points: string[][] = []
    const writeDataPoint = ({ indexes, blobs }: Point): void =>
      void points.push([...indexes, ...blobs])
    const redlock = new Redlock({
      nodes: memoryNodes(3),
      onEvent: toAnalytics({ writeDataPoint }),
    })
    const lock = await redlock.acquire('submit:ada:7')
    await redlock.tryAcquire('submit:ada:7')
    await lock.release()
    expect(points).toEqual([
      ['submit', 'acquired', ''],
      ['submit', 'rejected', 'locked'],
    ])
  })
})

describe('examples/grafana', () => {
  it('counts what really happens, with the node that fails', async () => {
    const sick = nodes.map((node, index) => (index === 0 ? withFault(node, reject) : node))
    const redlock = new Redlock({ nodes: sick, onEvent: count })
    const key = `report:${freshKey()}`
    const lock = await redlock.acquire(key)
    expect((await redlock.tryAcquire(key)).ok).toBe(false)
    await lock.release()
    const text = metrics()
    expect(text).toContain(
      'redlock_events_total{lock="report",type="rejected",reason="locked",node=""} 1\n',
    )
    expect(text).toContain(`redlock_node_down{node="${nodes[0]!.url}"} 1\n`)
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
