import { trace } from '@opentelemetry/api'
import type { TracingOptions } from '../../src/client/tracing/with-tracing.ts'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { Hono } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { lock } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import {
  type LockEvent,
  Redlock,
  type RedlockOptions,
  type RestNodeOptions,
  throttle,
  withTracing,
} from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { hang, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { endedSpans, textOf, tracer } from './telemetry.ts'

/** The tests of `withTracing` with the SDK of OpenTelemetry and real Redis servers, for every runtime. */
export const spans = (name: string, nodes: readonly RestNodeOptions[]): void => {
  const traced = (
    options: Partial<RedlockOptions> = {},
    tracing: Partial<TracingOptions> = {},
  ): Redlock => withTracing(new Redlock({ nodes, ...options }), { tracer, ...tracing })

  const eventsOf = ({ events }: ReadableSpan): string[] => events.map((event) => event.name)
  const parentOf = ({ parentSpanContext }: ReadableSpan): string | undefined =>
    parentSpanContext?.spanId

  /** The spans once there are so many of them: some end in the background. */
  const ended = (count: number): Promise<ReadableSpan[]> => {
    const found: ReadableSpan[] = []
    return eventually(() => {
      found.push(...endedSpans())
      expect(found.map((span) => span.name)).toHaveLength(count)
      return found
    })
  }

  describe(`${name}: withTracing`, () => {
    beforeEach(() => void endedSpans())

    it('has a span for the call and one for the time the lock is held, both children of the caller', async () => {
      const redlock = traced()
      const [parent, child, lockId] = await tracer.startActiveSpan('request', async (span) => {
        const held = await redlock.acquire(freshKey(), { metadata: 'me' })
        const inner = tracer.startSpan('inner')
        inner.end()
        await held.release()
        span.end()
        return [span, inner, held.id] as const
      })
      const all = await ended(4)
      expect(all.map((span) => span.name)).toEqual([
        'lock.acquire',
        'inner',
        'lock.hold',
        'request',
      ])
      const [acquire, , hold] = all
      expect(acquire!.attributes).toMatchObject({
        'lock.outcome': 'acquired',
        'lock.attempts': 1,
        'lock.split_votes': 0,
        'lock.node_errors': 0,
      })
      expect(acquire!.attributes['lock.elapsed_ms']).toBeGreaterThan(0)
      expect(hold!.attributes).toMatchObject({ 'lock.outcome': 'released' })
      const ids = [acquire!, hold!].map(({ attributes }) => attributes['lock.id'])
      expect(ids).toEqual([lockId, lockId])
      expect(hold!.attributes['lock.held_ms']).toBeGreaterThan(0)
      const id = parent.spanContext().spanId
      expect([acquire!, hold!].map(parentOf)).toEqual([id, id])
      // What the caller does afterwards belongs to the caller, and not to the call.
      expect(parentOf(child as unknown as ReadableSpan)).toBe(id)
    })

    it('has the requests to the nodes inside the span of the call', async () => {
      const active: (string | undefined)[] = []
      const noted = nodes.map((node) => ({
        ...node,
        fetch: ((url, init) => {
          active.push((trace.getActiveSpan() as unknown as ReadableSpan | undefined)?.name)
          return fetch(url, init)
        }) as typeof fetch,
      }))
      const redlock = traced({ nodes: noted })
      expect((await redlock.tryAcquire(freshKey())).ok).toBe(true)
      expect(active).toEqual(nodes.map(() => 'lock.acquire'))
    })

    it('has what kept a rejected call from the lock, and no error', async () => {
      const key = freshKey()
      await using held = await new Redlock({ nodes }).acquire(key, { metadata: 'the other' })
      expect((await traced().tryAcquire(key)).ok).toBe(false)
      const [span] = await ended(1)
      expect(span!.attributes).toMatchObject({ 'lock.outcome': 'locked', 'lock.attempts': 1 })
      expect(span!.attributes['lock.nodes']).toMatch(/ locked, /)
      expect(span!.attributes['lock.holder']).toBe(held.id)
      expect(span!.attributes['lock.retry_after_ms']).toBeGreaterThan(0)
      expect(span!.status.code).toBe(0)
      expect(held.held).toBe(true)
    })

    it('has waiting as an event, and each attempt in the count', async () => {
      const key = freshKey()
      const held = await new Redlock({ nodes }).acquire(key)
      const waiting = traced({ onEvent: ({ type }) => void (type === 'waiting' && held.release()) })
      const lock = await waiting.acquire(key, {
        wait: 20_000,
        retry: { delay: 20, maxDelay: 40 },
      })
      await lock.release()
      const [acquire] = await ended(2)
      expect(eventsOf(acquire!).filter((event) => event === 'waiting')).toHaveLength(1)
      expect(acquire!.attributes['lock.outcome']).toBe('acquired')
      expect(acquire!.attributes['lock.attempts']).toBeGreaterThan(1)
    })

    it('has failed nodes as events, and an outage as an error', async () => {
      const down = nodes.map((node) => withFault(node, reject))
      expect((await traced({ nodes: down, warnings: false }).tryAcquire(freshKey())).ok).toBe(false)
      const [span] = await ended(1)
      expect(span!.attributes['lock.outcome']).toBe('unavailable')
      // Each node fails at the attempt; those that fail at its release may come in time, too.
      const failures = eventsOf(span!)
      expect(failures.length).toBeGreaterThanOrEqual(nodes.length)
      expect(new Set(failures)).toEqual(new Set(['node-error']))
      expect(span!.attributes['lock.node_errors']).toBe(failures.length)
      expect(span!.status.code).toBe(2)
    })

    it('has extensions, and the loss of a lock as an error', async () => {
      let isDown = false
      const failing = nodes.map((node) =>
        withFault(node, (request, send) => (isDown ? hang(request, send) : send())),
      )
      let extensions = 0
      const onEvent = ({ type }: LockEvent): void => void (type === 'extended' && extensions++)
      const redlock = traced({ nodes: failing, onEvent })
      const held = redlock.using(freshKey(), { ttl: 1_500 }, async ({ signal }) => {
        await eventually(() => expect(extensions).toBeGreaterThan(0))
        isDown = true
        await eventually(() => expect(signal.aborted).toBe(true))
        isDown = false
      })
      await expect(held).rejects.toThrow('Lost the lock')
      const [, hold] = await ended(2)
      expect(hold!.name).toBe('lock.hold')
      expect(hold!.attributes['lock.outcome']).toBe('lost')
      expect(hold!.status.code).toBe(2)
      expect(eventsOf(hold!)).toContain('extended')
    })

    it('has no key, metadata or secret; and a name where `lockName` gives one', async () => {
      const key = `user-${freshKey()}`
      const options = { metadata: 'private metadata' }
      const silent = traced()
      const held = await silent.acquire(key, options)
      await silent.tryAcquire(key)
      const { value } = held
      await held.release()
      const all = await ended(3)
      expect(textOf(all)).not.toContain(key)
      expect(textOf(all)).not.toContain('private')
      // The first part is the id, which everybody may see.
      expect(textOf(all)).not.toContain(value.slice(8))
      const named = traced({}, { lockName: ([first]) => first!.split('-')[0] })
      await (await named.acquire(key, options)).release()
      const names = (await ended(2)).map(({ attributes }) => attributes['lock.name'])
      expect(names).toEqual(['user', 'user'])
    })

    it('has a span for each call of a throttle, also for one that the cache rejects', async () => {
      const redlock = traced()
      const key = freshKey()
      for (let call = 0; call < 3; call++) await throttle(redlock, key, { window: 60_000 })
      const all = await ended(3)
      expect(all.map((span) => span.name)).toEqual(all.map(() => 'lock.throttle'))
      const outcomes = all.map(({ attributes }) => attributes['lock.outcome'])
      expect(outcomes).toEqual(['acquired', 'locked', 'locked'])
      expect(all[2]!.attributes['lock.attempts']).toBe(0)
    })

    it('follows `lock()`', async () => {
      const redlock = traced()
      const app = new Hono().get('/', lock({ redlock, key: freshKey() }), (c) => c.text('done'))
      await (await app.request('/')).text()
      const all = await ended(2)
      expect(all.map((span) => span.name)).toEqual(['lock.acquire', 'lock.hold'])
    })

    it('follows `idempotent()`: a claim, and a replay', async () => {
      const middleware = idempotent({ redlock: traced(), scope: () => 'user' })
      const app = new Hono().post('/', middleware, (c) => c.text('done'))
      const headers = { 'idempotency-key': freshKey() }
      for (let call = 0; call < 2; call++) await app.request('/', { method: 'POST', headers })
      const all = await ended(3)
      const found = all.map((span) => [span.name, span.attributes['lock.outcome']])
      expect(found).toContainEqual(['lock.claim', 'acquired'])
      expect(found).toContainEqual(['lock.hold', 'released'])
      expect(found).toContainEqual(['lock.claim', 'recorded'])
    })

    it('ends a span when the call throws', async () => {
      const key = freshKey()
      await using held = await new Redlock({ nodes }).acquire(key)
      const signal = AbortSignal.timeout(50)
      await expect(traced().acquire(key, { wait: 60_000, signal })).rejects.toThrow('timeout')
      const [span] = await ended(1)
      const expected = { 'lock.outcome': 'error', 'error.type': 'TimeoutError' }
      expect(span!.attributes).toMatchObject(expected)
      expect(span!.status.code).toBe(2)
      expect(held.held).toBe(true)
    })
  })
}
