import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withLock } from '../../src/entries/fetch.ts'
import { lock, throttle } from '../../src/entries/hono.ts'
import {
  fromEnv,
  inspect,
  isLockLostError,
  isQuorumError,
  type LockNode,
  Redlock,
  throttle as throttleBy,
} from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'

/** A user's tests with nodes in memory and fake timers, for every runtime. */
export const memoryNodeTests = (name: string): void => {
  // Made before the timers are fake, as at the top of a user's file.
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes })
  const down = (count: number, sicken: (node: MemoryNode) => void): void => {
    for (const node of nodes.slice(0, count)) sicken(node)
  }

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const node of nodes) {
      node.recover()
      node.restart()
    }
    vi.useRealTimers()
  })

  describe(`${name}: fake timers`, () => {
    it('let a lock expire', async () => {
      const held = await redlock.acquire('report', { ttl: 5_000 })
      const { signal } = held
      expect(await redlock.tryAcquire('report')).toMatchObject({ reason: 'locked' })
      await vi.advanceTimersByTimeAsync(5_001)
      expect(held.held).toBe(false)
      expect(isLockLostError(signal.reason)).toBe(true)
      expect(await redlock.tryAcquire('report')).toMatchObject({ ok: true })
    })

    it('extend a lock while the work goes on', async () => {
      const work = redlock.using('report', { ttl: 5_000 }, async ({ signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 60_000))
        return signal.aborted
      })
      await vi.advanceTimersByTimeAsync(59_000)
      expect(await redlock.tryAcquire('report')).toMatchObject({ reason: 'locked' })
      await vi.advanceTimersByTimeAsync(1_001)
      expect(await work).toBe(false)
      expect(await redlock.tryAcquire('report')).toMatchObject({ ok: true })
    })

    it('let a caller wait', async () => {
      const held = await redlock.acquire('report')
      const waiting = redlock.acquire('report', { wait: 3_000 })
      await vi.advanceTimersByTimeAsync(1_000)
      await held.release()
      await vi.advanceTimersByTimeAsync(1_000)
      expect((await waiting).held).toBe(true)
    })

    it('open a window', async () => {
      const pass = async (): Promise<boolean> =>
        (await throttleBy(redlock, 'submit', { window: 5_000 })).ok
      expect([await pass(), await pass()]).toEqual([true, false])
      await vi.advanceTimersByTimeAsync(5_001)
      expect(await pass()).toBe(true)
    })
  })

  describe(`${name}: a memory node`, () => {
    it('that fails reports its error, and costs nothing while a majority is well', async () => {
      down(1, (node) => node.fail(new Error('out of memory')))
      const result = await redlock.tryAcquire('report')
      expect(result).toMatchObject({ ok: true })
      down(2, (node) => node.fail(new Error('out of memory')))
      const rejected = await redlock.tryAcquire('report')
      expect(rejected).toMatchObject({ ok: false, reason: 'unavailable' })
      expect(!rejected.ok && rejected.nodes[0]?.error?.message).toBe('out of memory')
    })

    it('that hangs costs nothing; a majority that hangs takes nodeTimeout', async () => {
      down(1, (node) => node.hang())
      expect(await redlock.tryAcquire('report')).toMatchObject({ ok: true })
      down(2, (node) => node.hang())
      const error = redlock.acquire('other', { wait: 0 }).catch((reason: unknown) => reason)
      await vi.advanceTimersByTimeAsync(2_500)
      expect(isQuorumError(await error)).toBe(true)
    })

    it('that hangs loses a lock, and grants again when it has recovered', async () => {
      const held = await redlock.acquire('report', { ttl: 5_000 })
      const { signal } = held
      down(3, (node) => node.hang())
      const extending = held.extend().catch((reason: unknown) => reason)
      await vi.advanceTimersByTimeAsync(5_001)
      expect(await extending).toBeInstanceOf(Error)
      expect(signal.aborted).toBe(true)
      down(3, (node) => node.recover())
      expect(await redlock.tryAcquire('report')).toMatchObject({ ok: true })
    })

    it('that recovers answers the requests that hang', async () => {
      down(3, (node) => node.hang())
      const acquiring = redlock.acquire('report')
      await vi.advanceTimersByTimeAsync(500)
      down(3, (node) => node.recover())
      expect((await acquiring).held).toBe(true)
    })

    it('that is late takes its time', async () => {
      down(3, (node) => node.delay(300))
      const begun = Date.now()
      const acquiring = redlock.acquire('report')
      await vi.advanceTimersByTimeAsync(1_000)
      const held = await acquiring
      expect(held.expiresIn).toBeLessThan(10_000 - 1_000)
      expect(Date.now() - begun).toBe(1_000)
      const releasing = held.release()
      await vi.advanceTimersByTimeAsync(300)
      expect(await releasing).toBe('released')
    })

    it('takes no request whose signal has aborted', async () => {
      for (const sicken of [
        (node: MemoryNode) => node.hang(),
        (node: MemoryNode) => node.delay(9),
      ]) {
        down(3, sicken)
        const controller = new AbortController()
        const acquiring = redlock.acquire('report', { signal: controller.signal })
        const settled = acquiring.catch((reason: unknown) => reason)
        controller.abort(new Error('the user left'))
        expect(await settled).toMatchObject({ message: 'the user left' })
        down(3, (node) => node.recover())
        await vi.advanceTimersByTimeAsync(5_000)
        expect(await inspect(redlock, 'report')).toMatchObject({ state: 'free' })
      }
    })

    it('loses its locks in a restart, unless they were saved', async () => {
      await redlock.acquire('report')
      for (const node of nodes) node.restart(node.entries)
      expect(await redlock.tryAcquire('report')).toMatchObject({ reason: 'locked' })
      for (const node of nodes) node.restart()
      expect(await redlock.tryAcquire('report')).toMatchObject({ ok: true })
    })

    it('fails when it is sent a command that it does not know', async () => {
      const unknown = nodes.map(({ run, ...node }): LockNode => ({
        ...node,
        run: (command, options) => run({ ...command, op: 'later' } as never, options),
      }))
      const result = await new Redlock({ nodes: unknown }).tryAcquire('report')
      expect(result).toMatchObject({
        ok: false,
        reason: 'unavailable',
        nodes: nodes.map(({ name }) => ({
          node: name,
          status: 'error',
          error: { message: expect.stringContaining('does not know this command') },
        })),
      })
      expect(nodes.map(({ entries }) => entries.size)).toEqual([0, 0, 0])
    })

    it('rejects a wrong delay', () => {
      expect(() => nodes[0]!.delay(-1)).toThrow(RangeError)
      expect(() => nodes[0]!.delay(Number.NaN)).toThrow('`delay` must be')
    })
  })

  describe(`${name}: an app that uses fromEnv`, () => {
    type Env = { Bindings: { REDLOCK_NODES: unknown } }
    const app = new Hono<Env>()
      .post(
        '/submit',
        throttle({ redlock: (c) => fromEnv(c.env), key: 'ada', window: 5_000 }),
        (c) => c.text('submitted', 202),
      )
      .post('/grade', lock({ redlock: (c) => fromEnv(c.env), key: 'essay' }), (c) =>
        c.text('graded'),
      )
    const post = (path: string): Response | Promise<Response> =>
      app.request(path, { method: 'POST' }, { REDLOCK_NODES: nodes })

    it('takes nodes in memory from the bindings that a test passes', async () => {
      expect((await post('/submit')).status).toBe(202)
      expect((await post('/submit')).status).toBe(429)
      await vi.advanceTimersByTimeAsync(5_001)
      expect((await post('/submit')).status).toBe(202)
    })

    it('responds as in an outage, and when somebody holds the lock', async () => {
      const held = await redlock.acquire('essay')
      expect((await post('/grade')).status).toBe(409)
      await held.release()
      down(2, (node) => node.fail())
      expect((await post('/grade')).status).toBe(503)
      down(2, (node) => node.recover())
      const response = await post('/grade')
      expect(await response.text()).toBe('graded')
    })

    it('may be a function without Hono', async () => {
      const grade = withLock(
        { redlock: (_request, env: object) => fromEnv({ ...env }), key: 'essay' },
        async () => new Response('graded'),
      )
      const request = new Request('https://example.com/grade', { method: 'POST' })
      const response = await grade(request, { REDLOCK_NODES: nodes })
      expect(await response.text()).toBe('graded')
    })
  })
}
