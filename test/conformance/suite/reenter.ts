import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { isLockLostError, type Lock, type LockEvent, serialize, ttlOf } from '../../../src/index.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** A holder that takes its own lock again. */
export const reenterTests = ({ name, redlock, redlockWith, expectNoneStored }: Setup): void => {
  const reasonOf = (work: () => unknown): Promise<unknown> =>
    Promise.resolve()
      .then(work)
      .then(
        () => 'no error',
        (error: unknown) => error,
      )

  describe(`${name}: reentered lock`, () => {
    it('is released on the nodes by its last release', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const [inner, innermost] = [lock.reenter(), lock.reenter()]
      expect(await lock.release()).toBe('released')
      expect(await innermost.release()).toBe('released')
      expect(inner.held).toBe(true)
      expect(inner.value).toBe(lock.value)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await inner.release()).toBe('released')
      await expectNoneStored(key)
      expect(() => lock.reenter()).toThrow('Lost the lock')
    })

    it('stays held when a block that reentered it has also released explicitly', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      {
        await using inner = lock.reenter()
        expect(await inner.release()).toBe('released')
      }
      expect(lock.held).toBe(true)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
    })

    it('is over for a handle that has been released, and goes on for the others', async () => {
      const key = freshKey()
      const events: string[] = []
      const client = redlockWith(fiveNodes(), { onEvent: ({ type }) => void events.push(type) })
      const lock = await client.acquire(key, { ttl: 60_000 })
      const inner = lock.reenter()
      await inner.release()
      expect([inner.held, inner.expiresIn, await ttlOf(inner)]).toEqual([false, 0, 0])
      for (const work of [
        () => inner.reenter(),
        () => inner.extend(),
        () => inner.fencingToken(),
      ]) {
        expect(isLockLostError(await reasonOf(work))).toBe(true)
      }
      expect(serialize(inner).expiresAt).toBeLessThanOrEqual(Date.now())
      expect(lock.held).toBe(true)
      expect(lock.signal.aborted).toBe(false)
      expect(await lock.fencingToken()).toBeGreaterThan(0)
      expect(events).not.toContain('lost')
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
    })

    it('sends one release, however often and however simultaneously its handles are released', async () => {
      const key = freshKey()
      const events: LockEvent[] = []
      const client = redlockWith(fiveNodes(), { onEvent: (event) => void events.push(event) })
      const lock = await client.acquire(key, { ttl: 60_000 })
      const inner = lock.reenter()
      const handles = [lock, inner, inner.reenter()]
      const results = await Promise.all([...handles, ...handles].map((one) => one.release()))
      expect(results).toEqual(Array(6).fill('released'))
      expect(events.filter(({ type }) => type === 'released')).toHaveLength(1)
      await expectNoneStored(key)
    })

    it('is held exactly while one of its handles is, in whatever order they are released', async () => {
      type Step = { readonly does: 'reenter' | 'release' | 'dispose'; readonly which: number }
      const step = fc.record<Step>({
        does: fc.constantFrom('reenter', 'release', 'dispose'),
        which: fc.nat(),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const key = freshKey()
          const released = vi.fn<() => void>()
          const client = redlockWith(fiveNodes(), {
            onEvent: ({ type }) => void (type === 'released' && released()),
          })
          const handles: Lock[] = [await client.acquire(key, { ttl: 60_000 })]
          const open = new Set(handles)
          for (const { does, which } of steps) {
            const handle = handles[which % handles.length]!
            if (does === 'reenter' && open.has(handle)) {
              const inner = handle.reenter()
              handles.push(inner)
              open.add(inner)
            } else if (does === 'reenter') {
              expect(() => handle.reenter()).toThrow('Lost the lock')
            } else {
              open.delete(handle)
              if (does === 'release') await handle.release()
              else await handle[Symbol.asyncDispose]()
            }
            expect(handles.map(({ held }) => held)).toEqual(handles.map((one) => open.has(one)))
            expect(released).toHaveBeenCalledTimes(open.size > 0 ? 0 : 1)
          }
          for (const handle of handles) expect(await handle.release()).toBe('released')
          expect(released).toHaveBeenCalledTimes(1)
        }),
        { numRuns: 10 },
      )
    })
  })
}
