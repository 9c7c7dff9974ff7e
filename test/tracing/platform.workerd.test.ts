import { type Span, tracing } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { Redlock, withTracing } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as nodes } from '../support/real-nodes.workerd.ts'

// The spans of Cloudflare Workers themselves. workerd passes them to the platform, so that only their
// methods can be observed here.

it('takes the tracer of the platform', async () => {
  const redlock = withTracing(new Redlock({ nodes }), { tracer: tracing })
  const key = freshKey()
  const lock = await redlock.acquire(key)
  expect((await redlock.tryAcquire(key)).ok).toBe(false)
  expect(await lock.release()).toBe('released')
})

it('names and ends each span of the platform once', async () => {
  const calls: string[] = []
  const watched = (name: string, span: Span): Span =>
    new Proxy(span, {
      get: (target, property) => {
        const method = Reflect.get(target, property) as unknown
        if (typeof method !== 'function') return method
        return (...args: string[]): unknown => {
          calls.push(`${name} ${String(property)} ${args[0] ?? ''}`.trim())
          return method.apply(target, args) as unknown
        }
      },
    })
  const tracer = {
    startActiveSpan: <T>(name: string, run: (span: Span) => T): T =>
      tracing.startActiveSpan(name, (span) => run(watched(name, span))),
    startSpan: (name: string) => watched(name, tracing.startSpan(name)),
  }
  const redlock = withTracing(new Redlock({ nodes }), { tracer })
  await (await redlock.acquire(freshKey())).release()
  expect(calls).toContain('lock.acquire setAttribute lock.outcome')
  expect(calls).toContain('lock.hold setAttribute lock.held_ms')
  expect(calls.filter((call) => call.endsWith(' end'))).toEqual([
    'lock.acquire end',
    'lock.hold end',
  ])
})
