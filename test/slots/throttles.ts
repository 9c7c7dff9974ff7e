import { describe, expect, it } from 'vitest'
import { withThrottle } from '../../src/entries/fetch.ts'
import {
  Redlock,
  type RedlockOptions,
  type SlotRedlock,
  throttle,
  withSlots,
} from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { valuesOf } from '../support/faults.ts'
import type { NodeKind } from '../support/node-kind.ts'
import { freshKey } from '../support/nodes.ts'

/** The tests of throttles of `withSlots` for every kind of node and every runtime. */
export const throttles = (name: string, kind: NodeKind): void => {
  const { nodes, connect } = kind
  const client = (options: Partial<RedlockOptions> = {}): SlotRedlock =>
    withSlots(new Redlock({ nodes, ...options }))
  const redlock = client()

  describe(`${name}: throttles with a limit`, () => {
    it('lets as many calls pass, and tells how many remain', async () => {
      const key = freshKey()
      const options = { window: 60_000, limit: 3 }
      const results = []
      for (let call = 0; call < 5; call++) results.push(await throttle(redlock, key, options))
      expect(results.map((result) => (result.ok ? result.remaining : result.reason))).toEqual([
        2,
        1,
        0,
        'locked',
        'locked',
      ])
    })

    it('reports how many calls remain in a header, also with `countIf`', async () => {
      const options = { redlock, key: freshKey(), window: 60_000, limit: 3 }
      const request = new Request('https://example.com')
      const remaining: unknown[] = []
      for (const countIf of [() => true, () => false, () => true, undefined]) {
        const handler = withThrottle(
          { ...options, ...(countIf && { countIf }) },
          () => new Response('a'),
        )
        remaining.push((await handler(request)).headers.get('ratelimit'))
      }
      expect(remaining).toEqual([
        '"throttle";r=2;t=60',
        null,
        '"throttle";r=1;t=60',
        '"throttle";r=0;t=60',
      ])
    })

    it('lets a call pass once the first slot is over', async () => {
      const key = freshKey()
      const [long, short] = [60_000, 3_000]
      expect((await throttle(redlock, key, { window: long, limit: 2 })).ok).toBe(true)
      expect((await throttle(redlock, key, { window: short, limit: 2 })).ok).toBe(true)
      const rejected = await throttle(redlock, key, { window: long, limit: 2 })
      expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
      expect(!rejected.ok && rejected.retryAfter).toBeLessThanOrEqual(short)
      await eventually(async () => {
        expect((await throttle(redlock, key, { window: long, limit: 2 })).ok).toBe(true)
      })
      expect((await throttle(redlock, key, { window: long, limit: 2 })).ok).toBe(false)
    })

    it('waits for a pass, and never lets more pass than the limit', async () => {
      const key = freshKey()
      const [window, limit] = [600, 2]
      const calls = Array.from({ length: 6 }, async () => {
        let asked = { value: undefined as unknown, at: 0 }
        const timed = nodes.map((_, index) =>
          connect(index, ({ body }, send) => {
            // Each try has a value of its own.
            const [value] = valuesOf(body)
            if (value !== asked.value) asked = { value, at: performance.now() }
            return send()
          }),
        )
        const options = { window, limit, wait: 30_000 }
        const result = await throttle(client({ nodes: timed }), key, options)
        expect(result.ok).toBe(true)
        // The pass began between its first request and its result.
        return { from: asked.at, to: performance.now() }
      })
      const passes = (await Promise.all(calls)).toSorted((a, b) => a.from - b.from)
      // The clock of the servers counts in whole ms.
      const tolerance = 5
      for (const [index, first] of passes.slice(0, -limit).entries()) {
        const tooMany = passes.slice(index, index + limit + 1)
        const span = Math.max(...tooMany.map(({ to }) => to)) - first.from
        expect(span).toBeGreaterThan(window - tolerance)
      }
    })

    it('rejects a call at once that cannot pass before its wait ends', async () => {
      const key = freshKey()
      const options = { window: 60_000, limit: 1 }
      expect((await throttle(redlock, key, { ...options, wait: 1_000 })).ok).toBe(true)
      const begun = performance.now()
      const rejected = await throttle(redlock, key, { ...options, wait: 20_000 })
      expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
      expect(performance.now() - begun).toBeLessThan(10_000)
    })

    it('waits for the window of a plain throttle', async () => {
      const key = freshKey()
      const options = { window: 500, wait: 20_000 }
      const begun = performance.now()
      expect((await throttle(redlock, key, options)).ok).toBe(true)
      expect((await throttle(redlock, key, options)).ok).toBe(true)
      expect(performance.now() - begun).toBeGreaterThan(490)
    })

    it('stops waiting for a pass when the signal aborts, or the budget ends', async () => {
      const key = freshKey()
      const options = { window: 60_000, limit: 1 }
      await throttle(redlock, key, options)
      const controller = new AbortController()
      const { signal } = controller
      const onEvent: RedlockOptions['onEvent'] = ({ type }) => {
        if (type === 'waiting') setTimeout(() => controller.abort(new Error('enough')), 50)
      }
      const waiting = throttle(client({ onEvent }), key, { ...options, wait: 90_000, signal })
      await expect(waiting).rejects.toThrow('enough')
      // With a `fetch` of its own, it knows nothing of the window yet.
      const unaware = nodes.map((_, index) => connect(index, (_, send) => send()))
      const frugal = client({ nodes: unaware, budget: 2 * nodes.length })
      const limited = await throttle(frugal, key, { ...options, wait: 90_000 })
      expect(limited).toMatchObject({ ok: false, reason: 'locked' })
    })

    it('rejects several keys, and a Redlock without slots', async () => {
      const options = { limit: 2, window: 1_000 }
      await expect(throttle(redlock, ['a', 'b'], options)).rejects.toThrow('one resource')
      await expect(throttle(new Redlock({ nodes }), 'a', options)).rejects.toThrow('withSlots')
    })
  })
}
