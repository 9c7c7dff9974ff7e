import { describe, expect, it } from 'vitest'
import { Redlock, throttle, type Tracer, withTracing } from '../../src/index.ts'
import { withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

const redlock = new Redlock({ nodes })
const tracer: Tracer = {
  startActiveSpan: (_, run) => run(span),
  startSpan: () => span,
}
const span = { setAttribute: () => {}, end: () => {} }

const fail = (): never => {
  throw new Error('the tracer is broken')
}
// An unhandled rejection fails the run.
const reject = (): never => Promise.reject(new Error('the tracer is broken')) as never
const rejecting = { setAttribute: reject, end: reject, addEvent: reject, setStatus: reject }

describe('withTracing', () => {
  it('rejects something else than a Redlock', () => {
    expect(() => withTracing({} as Redlock, { tracer })).toThrow('redlock')
  })

  it.each<[string, Tracer]>([
    ['throws instead of a span', { startActiveSpan: fail, startSpan: fail }],
    [
      'gives spans that throw',
      {
        startActiveSpan: (_, run) =>
          run({ setAttribute: fail, end: fail, addEvent: fail, setStatus: fail }),
        startSpan: () => ({ setAttribute: fail, end: fail, addEvent: fail, setStatus: fail }),
      },
    ],
    ['gives spans that reject', { startActiveSpan: (_, run) => run(rejecting), startSpan: reject }],
    ['rejects instead of a span', { startActiveSpan: reject, startSpan: () => rejecting }],
    [
      'throws after the call has begun',
      {
        startActiveSpan: (_, run) => {
          run(span)
          return fail()
        },
        startSpan: fail,
      },
    ],
    [
      'runs the call twice',
      {
        startActiveSpan: (_, run) => {
          void run(span)
          return run(span)
        },
        startSpan: () => span,
      },
    ],
  ])('locks and throttles with a tracer that %s', async (_, broken) => {
    const traced = withTracing(redlock, { tracer: broken, lockName: fail })
    const key = freshKey()
    const lock = await traced.acquire(key)
    expect((await traced.tryAcquire(key)).ok).toBe(false)
    expect(await lock.release()).toBe('released')
    expect((await throttle(traced, key, { window: 60_000 })).ok).toBe(true)
    expect((await throttle(traced, key, { window: 60_000 })).ok).toBe(false)
  })

  it('runs a call once with a tracer that begins it later', async () => {
    let requests = 0
    const counted = withTracing(
      new Redlock({
        nodes: nodes.map((node) => withFault(node, (_, send) => (requests++, send()))),
      }),
      {
        tracer: {
          startActiveSpan: (_, run) => void setTimeout(() => void run(span)) as never,
          startSpan: () => span,
        },
      },
    )
    await (await counted.acquire(freshKey())).release()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(requests).toBe(2 * nodes.length)
  })

  it('throws the errors of the call, also through a tracer', async () => {
    await expect(withTracing(redlock, { tracer }).acquire('')).rejects.toThrow('key')
  })
})
