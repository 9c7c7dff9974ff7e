import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  isLockedError,
  isLockLostError,
  isQuorumError,
  type Lock,
  type LockEvent,
  type LockNode,
  type NodeReport,
  Redlock,
  type RedlockOptions,
  type RestNodeOptions,
} from '../../src/index.ts'
import { systemClock } from '../../src/util/clock.ts'
import {
  answer,
  during,
  type Fault,
  first,
  gate,
  hang,
  loseReply,
  refuse,
  slow,
  valuesOf,
} from '../support/faults.ts'
import { freshKey, holders, renamed, type Server } from '../support/nodes.ts'
import { fencing } from './fencing.ts'

/** The node of a server, with each of its requests going through the fault, if there is one. */
export type Connect = (index: number, fault: Fault | undefined) => RestNodeOptions | LockNode

/**
 * What a lock must do, whatever its nodes are, whatever reaches them (`connect`), and whatever
 * runtime this runs in. `servers` are five independent ones; `command` looks behind the lock.
 * `common` are options of all clients.
 */
export const conformance = (
  name: string,
  servers: readonly Server[],
  connect: Connect,
  common: Partial<RedlockOptions> = {},
): void => {
  // Two nodes work, and are warned of.
  beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))
  const redlockWith = (
    faults: readonly (Fault | undefined)[],
    options: Partial<RedlockOptions> = {},
  ): Redlock =>
    new Redlock({
      nodes: faults.map((fault, index) => connect(index, fault)),
      ...common,
      ...options,
    })
  const five = (fault?: Fault, count = 0): (Fault | undefined)[] =>
    Array.from({ length: 5 }, (_, index) => (index < count ? fault : undefined))
  const redlock = redlockWith(five())
  const isFrugal = common.strategy === 'frugal'
  const keysOf = (key: string): Promise<unknown[]> => holders(servers, `lock:l:${key}`)
  const noneLeft = (key: string): Promise<void> =>
    vi.waitFor(async () => expect(await keysOf(key)).toEqual([null, null, null, null, null]))

  describe(`${name}: acquire and release`, () => {
    it('holds the key on the nodes with one value, and frees it on all of them', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      await vi.waitFor(async () =>
        expect(await keysOf(key)).toEqual(Array.from({ length: 5 }, () => lock.value)),
      )
      expect(lock.keys).toEqual([key])
      expect(lock.held).toBe(true)
      expect(await lock.release()).toBe('released')
      expect(lock.held).toBe(false)
      expect(lock.expiresIn).toBe(0)
      await noneLeft(key)
    })

    it('counts validity from before the first send, less the drift', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const left = (await servers[0]!.command('PTTL', `lock:l:${key}`)) as number
      expect(lock.expiresIn).toBeLessThanOrEqual(left - 5000 * 0.01 - 2 + 5)
      expect(lock.expiresIn).toBeGreaterThan(2000)
      await lock.release()
    })

    it('refuses a second holder as a value, with the time at which a quorum can come free', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const isSoon = (time: number): boolean => time > 2000 && time <= 5000
      expect(await redlock.tryAcquire(key)).toMatchObject({
        ok: false,
        reason: 'locked',
        retryAfter: expect.toSatisfy(isSoon),
      })
      await lock.release()
      const next = await redlock.tryAcquire(key)
      expect(next.ok).toBe(true)
      if (next.ok) await next.lock.release()
    })

    it('throws LockedError after the last try, and leaves the holder alone', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const retry = { attempts: 2, minDelay: 1, maxDelay: 2 }
      const error = await redlock.acquire(key, { retry }).catch((reason: unknown) => reason)
      expect(isLockedError(error)).toBe(true)
      expect(error).toMatchObject({ keys: [key], name: 'LockedError' })
      expect(await lock.release()).toBe('released')
    })

    it('waits for the lock up to `wait`, and gets it when it comes free', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const waiting = redlock.acquire(key, { wait: 20_000 })
      await lock.release()
      const next = await waiting
      expect(next.held).toBe(true)
      await next.release()
    })

    it('locks several keys or none', async () => {
      const [a, b, c] = [freshKey(), freshKey(), freshKey()]
      const held = await redlock.acquire(b, { ttl: 5000 })
      expect(await redlock.tryAcquire([a, b, c])).toMatchObject({ ok: false, reason: 'locked' })
      await noneLeft(a)
      await noneLeft(c)
      await held.release()
      const all = await redlock.acquire([a, b, c])
      expect(await redlock.tryAcquire(c)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await all.release()).toBe('released')
      await noneLeft(c)
    })

    it('has exactly one winner among ten that come together', async () => {
      for (let burst = 0; burst < 5; burst++) {
        const key = freshKey()
        const results = await Promise.all(
          Array.from({ length: 10 }, () => redlock.tryAcquire(key, { ttl: 60_000 })),
        )
        expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      }
    })

    it.each([
      ['down', refuse],
      ['slow', slow(40)],
    ])('has exactly one winner among five while one server, whichever, is %s', async (_, fault) => {
      for (const ill of servers.keys()) {
        const faults = servers.map((_server, index) => (index === ill ? fault : slow(5)))
        const client = redlockWith(faults)
        const key = freshKey()
        const results = await Promise.all(
          Array.from({ length: 5 }, () => client.tryAcquire(key, { ttl: 60_000 })),
        )
        expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      }
    })

    it('releases in three words', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      await Promise.all(servers.map(({ command }) => command('DEL', `lock:l:${key}`)))
      expect(await lock.release()).toBe('expired')
      expect(await lock.release()).toBe('expired')

      const other = await redlockWith(five(during('r', refuse), 3)).acquire(key, { ttl: 2000 })
      expect(await other.release()).toBe('unconfirmed')
    })

    it('works with one node and with two', async () => {
      for (const faults of [[undefined], [undefined, undefined]]) {
        const key = freshKey()
        const few = redlockWith(faults)
        const lock = await few.acquire(key)
        expect(await few.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
        expect(await lock.release()).toBe('released')
      }
    })

    it('settles a tie of two nodes', async () => {
      const key = freshKey()
      await servers[0]!.command('SET', `lock:l:${key}`, 'another', 'PX', 60_000)
      const result = await redlockWith([undefined, undefined]).tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      await vi.waitFor(async () => expect((await keysOf(key))[1]).toBeNull())
    })
  })

  describe(`${name}: nodes that fail`, () => {
    it('works while two of five are down', async () => {
      const key = freshKey()
      const lock = await redlockWith(five(refuse, 2)).acquire(key)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
    })

    it('tells an outage from contention', async () => {
      const key = freshKey()
      const cut = redlockWith(five(refuse, 3), { retry: { attempts: 1 } })
      expect(await cut.tryAcquire(key)).toMatchObject({ ok: false, reason: 'unavailable' })
      const error = await cut.acquire(key).catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      await noneLeft(key)
    })

    it('does not wait for a node that hangs while the others decide', async () => {
      const key = freshKey()
      const patient = redlockWith(five(hang, 1), { nodeTimeout: 60_000, ttl: 300_000 })
      const lock = await patient.acquire(key)
      await lock.extend()
      expect(await patient.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
    })

    it('gives up on nodes that hang after nodeTimeout', async () => {
      const result = await redlockWith(five(hang, 3), { nodeTimeout: 50 }).tryAcquire(freshKey())
      const isSilent = (nodes: NodeReport[]): boolean =>
        nodes.filter(({ status }) => status === 'timeout').length === 3
      expect(result).toMatchObject({
        ok: false,
        reason: 'unavailable',
        nodes: expect.toSatisfy(isSilent),
      })
    })

    it('does not collide with itself when every reply is lost once', async () => {
      const key = freshKey()
      const faults = five().map(() => first(1, during('a', loseReply)))
      const lock = await redlockWith(faults, {
        retry: { attempts: 5, minDelay: 1, maxDelay: 2 },
      }).acquire(key)
      expect(lock.held).toBe(true)
      expect(await lock.release()).toBe('released')
      await noneLeft(key)
    })

    it('releases also the nodes whose replies were lost', async () => {
      const key = freshKey()
      // What the client has only errors of, the servers have done.
      const result = await redlockWith(five(during('a', loseReply), 5)).tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      await noneLeft(key)
    })

    it('releases a grant that comes after the attempt has failed', async () => {
      const key = freshKey()
      const late = gate()
      const faults = [refuse, refuse, refuse, during('a', late.fault), undefined]
      const result = await redlockWith(faults, { nodeTimeout: 60_000, ttl: 300_000 }).tryAcquire(
        key,
      )
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      expect(late.arrived()).toBe(1)
      // Its release went ahead and left a tombstone: the acquire that lands now grants nothing.
      await noneLeft(key)
      late.open()
      const again = await redlock.acquire(key, { wait: 20_000 })
      await vi.waitFor(async () =>
        expect(await keysOf(key)).toEqual(Array.from({ length: 5 }, () => again.value)),
      )
      await again.release()
    })

    it('releases a late grant once more when its first release was lost', async () => {
      const key = freshKey()
      const late = gate()
      const releasing = vi.fn<Fault>(first(1, refuse))
      const loseFirst = during('r', releasing)
      const ill: Fault = (request, send) =>
        during('a', late.fault)(request, () => loseFirst(request, send))
      const faults = [refuse, refuse, refuse, ill, undefined]
      const options = { nodeTimeout: 60_000, ttl: 300_000 }
      const result = await redlockWith(faults, options).tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      await vi.waitFor(() => expect(late.arrived()).toBe(1))
      late.open()
      await vi.waitFor(() => expect(releasing.mock.calls.length).toBeGreaterThan(1))
      await noneLeft(key)
    })

    it('grants nothing to an acquire that arrives after its release', async () => {
      const key = freshKey()
      const again: (() => Promise<Response>)[] = []
      const record = during('a', (_, send) => {
        again.push(send)
        return send()
      })
      const lock = await redlockWith(five(record, 5)).acquire(key, { ttl: 60_000 })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      expect(await lock.release()).toBe('released')
      await noneLeft(key)
      await Promise.all(again.map(async (send) => (await send()).text()))
      await noneLeft(key)
    })

    it('counts no reply that is not its own', async () => {
      const wrong = [
        '{"result":1}',
        '{"result":"OK"}',
        '{"result":[1]}',
        '{"result":["a",1]}',
        '{"result":["a00000000-0000-4000-8000-000000000000",1]}',
        '[]',
        'null',
        '',
        '<html>',
      ]
      for (const body of wrong) {
        const key = freshKey()
        const result = await redlockWith(five(answer(body), 3)).tryAcquire(key)
        expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
        await noneLeft(key)
      }
    })

    it('learns its script anew after a server has forgotten it', async () => {
      const key = freshKey()
      await Promise.all(servers.map(({ command }) => command('SCRIPT', 'FLUSH')))
      const lock = await redlock.acquire(key)
      expect(await lock.release()).toBe('released')
    })
  })

  describe(`${name}: extend and loss`, () => {
    it('extends, and never shortens', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 2000 })
      await lock.extend(60_000)
      expect(lock.expiresIn).toBeGreaterThan(50_000)
      await lock.extend(1000)
      expect(lock.expiresIn).toBeGreaterThan(50_000)
      const left = (await servers[0]!.command('PTTL', `lock:l:${key}`)) as number
      expect(left).toBeGreaterThan(50_000)
      await lock.release()
    })

    it('finds out at an extend that the lock is gone', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const { signal } = lock
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      await Promise.all(
        servers.map(({ command }) => command('SET', `lock:l:${key}`, 'another', 'PX', 1000)),
      )
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      expect(lock.held).toBe(false)
      expect(signal.aborted).toBe(true)
      expect(isLockLostError(signal.reason)).toBe(true)
      expect(await lock.release()).toBe('expired')
    })

    it('stands until its validity ends when an extend cannot tell', async () => {
      const key = freshKey()
      const lock = await redlockWith(five(during('e', refuse), 3)).acquire(key, { ttl: 60_000 })
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      expect(lock.held).toBe(true)
      expect(lock.signal.aborted).toBe(false)
      expect(await lock.release()).toBe('released')
    })

    it('puts the key back where a node has lost it', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000, metadata: 'worker 3' })
      const held = Array.from({ length: 5 }, () => `${lock.value} worker 3`)
      await vi.waitFor(async () => expect(await keysOf(key)).toEqual(held))
      // Two have lost the key alone, two came up empty.
      await Promise.all(servers.slice(0, 4).map(({ command }) => command('DEL', `lock:l:${key}`)))
      await Promise.all(servers.slice(0, 2).map(({ command }) => command('DEL', `lock:f:${key}`)))
      await lock.extend()
      await vi.waitFor(async () => expect(await keysOf(key)).toEqual(held))
      expect(await lock.release()).toBe('released')
      await noneLeft(key)
    })

    it('does not count nodes that came up empty, where another may have held it', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      for (const { command } of servers.slice(0, 3)) {
        await command('DEL', `lock:l:${key}`)
        await command('DEL', `lock:f:${key}`)
      }
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      await lock.release()
      await noneLeft(key)
    })

    it('does not put the key back where somebody else has held it in between', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      await servers[0]!.command('DEL', `lock:l:${key}`)
      const rival = await redlockWith([undefined]).acquire(key)
      expect(await rival.release()).toBe('released')
      await lock.extend()
      await expect(lock.extend()).resolves.toBeUndefined()
      expect((await keysOf(key))[0]).toBeNull()
      expect((await keysOf(key)).slice(1)).not.toContain(null)

      // A majority of them: it may have been a whole lock in between.
      for (const index of [1, 2]) {
        await servers[index]!.command('DEL', `lock:l:${key}`)
        await servers[index]!.command('SET', `lock:f:${key}`, '9 another', 'PX', 60_000)
      }
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      expect((await keysOf(key)).slice(0, 3)).toEqual([null, null, null])
      await lock.release()
    })

    it('does not put back what was released', async () => {
      const key = freshKey()
      const late = gate()
      const faults = five().map(() => during('e', late.fault))
      const lock = await redlockWith(faults).acquire(key, { ttl: 60_000 })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      const extending = lock.extend().catch((reason: unknown) => reason)
      await vi.waitFor(() => expect(late.arrived()).toBe(5))
      expect(await lock.release()).toBe('released')
      late.open()
      expect(isLockLostError(await extending)).toBe(true)
      await noneLeft(key)
    })

    it('aborts the signal at the end of validity even if every node hangs', async () => {
      const key = freshKey()
      const lock = await redlockWith(five(during('e', hang), 5), { nodeTimeout: 60_000 }).acquire(
        key,
        { ttl: 300 },
      )
      const extending = lock.extend().catch((reason: unknown) => reason)
      const { signal } = lock
      await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
      expect(isLockLostError(signal.reason)).toBe(true)
      expect(lock.held).toBe(false)
      await lock.release()
      void extending
    })

    it('refuses to return a lock that took longer than it lives', async () => {
      const key = freshKey()
      let now = 0
      const clock = {
        wall: () => now,
        monotonic: () => now,
        setTimer: (callback: () => void, delay: number) => {
          const timer = setTimeout(callback, delay)
          return () => clearTimeout(timer)
        },
      }
      const late: Fault = async (_, send) => {
        const response = await send()
        now += 100
        return response
      }
      const sluggish = redlockWith(five(during('a', late), 5), { clock, ttl: 250 })
      expect(await sluggish.tryAcquire(key)).toMatchObject({ ok: false, reason: 'unavailable' })
      await noneLeft(key)
    })
  })

  describe(`${name}: abort`, () => {
    it('does nothing for a signal that has aborted already', async () => {
      const key = freshKey()
      const requests = vi.fn<Fault>(refuse)
      const reason = new Error('changed my mind')
      const signal = AbortSignal.abort(reason)
      await expect(redlockWith(five(requests, 5)).acquire(key, { signal })).rejects.toBe(reason)
      expect(requests).not.toHaveBeenCalled()
    })

    it('stops in flight and leaves nothing locked', async () => {
      const key = freshKey()
      // Some requests have not reached their servers yet; others have, but their replies have not.
      const held = gate()
      const done: Fault = async (request, send) => {
        const response = await send()
        return held.fault(request, async () => response)
      }
      const controller = new AbortController()
      const faults = [done, done, done, held.fault, held.fault].map((fault) => during('a', fault))
      const acquiring = redlockWith(faults).acquire(key, { signal: controller.signal, ttl: 60_000 })
      const outcome = acquiring.catch((error: unknown) => error)
      await vi.waitFor(() => expect(held.arrived()).toBe(5))
      expect((await keysOf(key)).filter(Boolean)).toHaveLength(3)
      const reason = new Error('changed my mind')
      controller.abort(reason)
      expect(await outcome).toBe(reason)
      await noneLeft(key)
      held.open()
    })

    it('stops in back-off', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const controller = new AbortController()
      const waiting = vi.fn(() => 600_000)
      const acquiring = redlock
        .acquire(key, { signal: controller.signal, retry: waiting })
        .catch((error: unknown) => error)
      await vi.waitFor(() => expect(waiting).toHaveBeenCalled())
      controller.abort('enough')
      expect(await acquiring).toBe('enough')
      expect(await lock.release()).toBe('released')
      await noneLeft(key)
    })
  })

  describe(`${name}: using`, () => {
    it('holds the lock for longer than its ttl, and releases it', async () => {
      const key = freshKey()
      const extended = vi.fn<Fault>((_, send) => send())
      const client = redlockWith(five(during('e', extended), 5))
      const result = await client.using(key, { ttl: 400 }, async (lock) => {
        const rounds = (count: number): Promise<void> =>
          vi.waitFor(() => expect(extended.mock.calls.length).toBeGreaterThanOrEqual(count * 5), {
            timeout: 10_000,
          })
        await rounds(5)
        expect(lock.held).toBe(true)
        expect(lock.signal.aborted).toBe(false)
        expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
        return 'done'
      })
      expect(result).toBe('done')
      await noneLeft(key)
    })

    it('passes on what the routine throws, whatever becomes of the release', async () => {
      const key = freshKey()
      const failing = redlockWith(five(during('r', refuse), 5))
      const mistake = new Error('business')
      await expect(failing.using(key, { ttl: 500 }, () => Promise.reject(mistake))).rejects.toBe(
        mistake,
      )
    })

    it('tells the routine that the lock is lost, and keeps trying until then', async () => {
      const key = freshKey()
      const tries = vi.fn<Fault>(refuse)
      const failing = redlockWith(five(during('e', tries), 5))
      const reason = await failing.using(key, { ttl: 500 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
        return signal.reason as unknown
      })
      expect(isLockLostError(reason)).toBe(true)
      expect(tries.mock.calls.length).toBeGreaterThan(5)
    })

    it('extends no more when the next life would pass maxHold', async () => {
      const key = freshKey()
      await redlock.using(key, { ttl: 200, maxHold: 300 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
      })
      await noneLeft(key)
    })
  })

  describe(`${name}: auto-extension`, () => {
    it('extends no more often than maxExtensions says', async () => {
      const key = freshKey()
      const counted = vi.fn<Fault>((_, send) => send())
      const client = redlockWith([during('e', counted), undefined, undefined])
      await client.using(key, { ttl: 150, maxExtensions: 2 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
      })
      expect(counted).toHaveBeenCalledTimes(2)
      await noneLeft(key)
    })

    it('does without a hot loop at a ttl of 50 ms, even if every extend fails', async () => {
      const key = freshKey()
      const tries = vi.fn<Fault>(answer('{"error":"ERR no"}', { status: 400 }))
      await redlockWith([during('e', tries)]).using(key, { ttl: 50 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
      })
      // One after a third of the ttl, then one each eighth of it while it is valid: six at the most.
      expect(tries.mock.calls.length).toBeGreaterThan(0)
      expect(tries.mock.calls.length).toBeLessThanOrEqual(8)
    })

    it('tells of the loss when the extends hang', async () => {
      const key = freshKey()
      const client = redlockWith(five(during('e', hang), 3), { nodeTimeout: 60_000 })
      const reason = await client.using(key, { ttl: 200 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
        return signal.reason as unknown
      })
      expect(isLockLostError(reason)).toBe(true)
      await noneLeft(key)
    })

    it('never masks what the routine throws, also when the lock was lost before', async () => {
      const key = freshKey()
      const mistake = new Error('business')
      const failing = redlockWith(five(during('e', refuse), 5))
      const outcome = failing.using(key, { ttl: 100 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
        throw mistake
      })
      await expect(outcome).rejects.toBe(mistake)
      await noneLeft(key)
    })
  })

  describe(`${name}: who holds it`, () => {
    it('shows metadata to those who are refused, and not the secret', async () => {
      const key = freshKey()
      const metadata = 'worker 3, {"pid": 7}, ключ'
      const lock = await redlock.acquire(key, { ttl: 60_000, metadata })
      expect(lock.metadata).toBe(metadata)
      const result = await redlock.tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      const error = await redlock
        .acquire(key, { retry: { attempts: 1 } })
        .catch((reason: unknown) => reason)
      for (const { nodes } of [result, error] as { nodes: NodeReport[] }[]) {
        const holders = nodes.filter(({ status }) => status === 'locked')
        expect(holders.length).toBeGreaterThanOrEqual(isFrugal ? 1 : 3)
        for (const node of holders) expect(node).toMatchObject({ metadata })
        expect(JSON.stringify(nodes)).not.toContain(lock.value)
      }
      await lock.extend()
      expect(await lock.release()).toBe('released')
      await noneLeft(key)
    })

    it('inspects a key, node by node', async () => {
      const key = freshKey()
      const free = await redlock.inspect(key)
      expect(free).toMatchObject({ state: 'free', ttl: 0 })
      expect(free.nodes.map(({ status }) => status)).toEqual(Array(5).fill('absent'))

      const lock = await redlock.acquire(key, { ttl: 60_000, metadata: 'worker 3' })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      const some = redlockWith([refuse, hang, undefined, undefined, undefined], {
        nodeTimeout: 300,
      })
      const held = await some.inspect(key)
      expect(held).toMatchObject({ state: 'locked', metadata: 'worker 3' })
      expect(held.ttl).toBeGreaterThan(30_000)
      expect(held.ttl).toBeLessThanOrEqual(60_000)
      const statuses = held.nodes.map(({ status }) => status).sort()
      expect(statuses).toEqual(['error', 'locked', 'locked', 'locked', 'timeout'])
      expect(JSON.stringify(held)).not.toContain(lock.value)

      const blind = await redlockWith(five(refuse, 3)).inspect(key)
      expect(blind.state).toBe('unavailable')
      await lock.release()
      expect(await redlock.inspect(key)).toMatchObject({ state: 'free' })
    })

    it('asks the nodes how long its own lock lives', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      expect(await lock.ttl()).toBeGreaterThan(30_000)
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      for (const { command } of servers.slice(0, 3)) await command('DEL', `lock:l:${key}`)
      expect(await lock.ttl()).toBe(0)
      const cut = await redlockWith(five(during('i', refuse), 3)).acquire(freshKey())
      const error = await cut.ttl().catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      await cut.release()
      await lock.release()
      expect(await lock.ttl()).toBe(0)
    })
  })

  describe(`${name}: handed on`, () => {
    it('is reckoned by the nodes after an extend, whatever the clocks said', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      // This machine is ten minutes behind: it takes the lock for fresh, and so for longer than it is.
      const clock = { ...systemClock, wall: () => Date.now() - 600_000 }
      const behind = redlockWith(five(), { clock, driftFactor: 0.5 })
      const adopted = behind.adopt(JSON.stringify(lock))
      expect(adopted.expiresIn).toBeLessThan(30_000)
      await adopted.extend(20_000)
      expect(adopted.expiresIn).toBeLessThan(10_000)
      await adopted.extend(60_000)
      expect(adopted.expiresIn).toBeGreaterThan(20_000)
      expect(await adopted.release()).toBe('released')
    })

    it('goes on in another process, as plain data', async () => {
      const key = freshKey()
      const web = await redlock.acquire([key, `${key}-b`], { ttl: 60_000, metadata: 'web' })
      const data = JSON.stringify(web)
      const other = redlockWith(five())
      for (const adopted of [other.adopt(data), other.adopt(JSON.parse(data))]) {
        expect(adopted.keys).toEqual(web.keys)
        expect(adopted.metadata).toBe('web')
        expect(adopted.expiresIn).toBeLessThanOrEqual(web.expiresIn + 1)
        await adopted.extend(120_000)
        expect(adopted.expiresIn).toBeGreaterThan(60_000)
      }
      expect(await other.adopt(data).release()).toBe('released')
      await noneLeft(key)
      const error = await web.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
    })

    it('is taken again by its holder, and given back by the last release', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      expect(lock.reenter()).toBe(lock)
      lock.reenter()
      expect(await lock.release()).toBe('released')
      expect(await lock.release()).toBe('released')
      expect(lock.held).toBe(true)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
      await noneLeft(key)
      expect(() => lock.reenter()).toThrow('Lost the lock')
    })
  })

  describe(`${name}: one process`, () => {
    it('sends one contender for a key, in the order of arrival', async () => {
      const key = freshKey()
      const asked = vi.fn<Fault>((_, send) => send())
      const client = redlockWith(five(during('a', asked), 1), { singleFlight: true })
      const order: number[] = []
      let inside = 0
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          client.using(key, { ttl: 60_000, wait: 60_000 }, async () => {
            expect(++inside).toBe(1)
            order.push(index)
            await redlock.inspect(key)
            inside--
          }),
        ),
      )
      expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      // Whoever comes first asks at once, and once more when it is woken.
      expect(asked.mock.calls.length).toBeLessThanOrEqual(8 * 3)
    })

    it('wakes the first in line when the lock is given back, however long it would sleep', async () => {
      const key = freshKey()
      const client = redlockWith(five(), { singleFlight: true })
      const lock = await client.acquire(key, { ttl: 60_000 })
      const retry = vi.fn(() => 3_600_000)
      const waiting = client.acquire(key, { ttl: 60_000, retry })
      await vi.waitFor(() => expect(retry).toHaveBeenCalled())
      await lock.release()
      expect(await (await waiting).release()).toBe('released')
    })

    it('tells those in line what is true: held by another, or out of reach', async () => {
      const key = freshKey()
      const retry = { attempts: 4, minDelay: 20, maxDelay: 40 }
      const outcomes = (client: Redlock): Promise<unknown[]> =>
        Promise.all([1, 2, 3].map(() => client.acquire(key, { retry }).catch((e: unknown) => e)))
      const cut = redlockWith(five(refuse, 3), { singleFlight: true })
      expect((await outcomes(cut)).map(isQuorumError)).toEqual([true, true, true])

      const lock = await redlock.acquire(key, { ttl: 60_000, metadata: 'worker 3' })
      const refused = await outcomes(redlockWith(five(), { singleFlight: true }))
      expect(refused.map(isLockedError)).toEqual([true, true, true])
      for (const error of refused) {
        expect((error as { nodes: unknown }).nodes).toContainEqual(
          expect.objectContaining({ status: 'locked', metadata: 'worker 3' }),
        )
      }
      await lock.release()
    })

    it('lets one leave the line, and go with the reason of its signal', async () => {
      const key = freshKey()
      const client = redlockWith(five(), { singleFlight: true })
      const lock = await client.acquire(key, { ttl: 60_000 })
      const controller = new AbortController()
      const options = { ttl: 60_000, wait: 60_000 }
      const [a, b, c] = [controller.signal, undefined, undefined].map((signal) =>
        client.acquire(key, { ...options, signal }),
      ) as [Promise<Lock>, Promise<Lock>, Promise<Lock>]
      const left = a.catch((reason: unknown) => reason)
      controller.abort('enough')
      expect(await left).toBe('enough')
      await lock.release()
      const next = await b
      expect(await next.release()).toBe('released')
      expect(await (await c).release()).toBe('released')
    })

    it('keeps no line where it is told so', async () => {
      const key = freshKey()
      let values = new Set<unknown>()
      const note = during('a', ({ body }, send) => {
        for (const value of valuesOf(body)) values.add(value)
        return send()
      })
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      for (const [singleFlight, contenders] of [
        [true, 1],
        [false, 3],
      ] as const) {
        values = new Set()
        const client = redlockWith(five(note, 5), { singleFlight })
        const retry = { attempts: 1 }
        const calls = [1, 2, 3].map(() => client.acquire(key, { retry }).catch(() => 'refused'))
        expect(await Promise.all(calls)).toEqual(['refused', 'refused', 'refused'])
        expect(values.size).toBe(contenders)
      }
      await lock.release()
    })
  })

  // Each of these was found in a published library; the issue or file that tells is named.
  describe(`${name}: the mistakes of others`, () => {
    const manual = () => {
      let now = 0
      const clock = { ...systemClock, wall: () => now, monotonic: () => now }
      const late =
        (time: number): Fault =>
        async (_, send) => {
          const response = await send()
          now += time
          return response
        }
      return { clock, late }
    }

    it('counts validity from the attempt that won, not from the first try (mike-marcacci/node-redlock#169)', async () => {
      const key = freshKey()
      const { clock, late } = manual()
      const earlier = await redlock.acquire(key, { ttl: 60_000 })
      const client = redlockWith([during('a', late(400))], { clock, singleFlight: false })
      let tries = 0
      const retry = async (): Promise<void> => void (await earlier.release())
      const lock = await client.acquire(key, {
        ttl: 1000,
        retry: () => {
          if (++tries === 3) void retry()
          return 5
        },
      })
      expect(lock.expiresIn).toBeGreaterThan(500)
      await lock.release()
    })

    it('does not take an extend for success that took longer than the new ttl (pottery, node-redlock#369)', async () => {
      const key = freshKey()
      const { clock, late } = manual()
      const lock = await redlockWith([during('e', late(300))], { clock }).acquire(key, {
        ttl: 60_000,
      })
      const error = await lock.extend(200).catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      expect(lock.held).toBe(true)
      expect(await lock.release()).toBe('released')
    })

    it('extends in using by the ttl of the call (node-redlock, using ignores its settings)', async () => {
      const key = freshKey()
      const seen: string[] = []
      const onEvent = ({ type }: LockEvent): void => void seen.push(type)
      const client = redlockWith(five(), { ttl: 60_000, onEvent })
      await client.using(key, { ttl: 600 }, async (lock) => {
        await vi.waitFor(() => expect(seen).toContain('extended'), { timeout: 4000 })
        expect(await lock.ttl()).toBeLessThanOrEqual(600)
      })
    })

    it('keeps its own ttl after a call with another one (@upstash/lock, a lease mutates the instance)', async () => {
      const key = freshKey()
      const client = redlockWith(five(), { ttl: 60_000 })
      await (await client.acquire(key, { ttl: 500 })).release()
      const lock = await client.acquire(key)
      expect(await lock.ttl()).toBeGreaterThan(30_000)
      await lock.release()
    })

    it('takes extends that run at once for one, to the millisecond (@upstash/lock, additive and in seconds)', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 1000 })
      await Promise.all([lock.extend(10_500), lock.extend(10_500), lock.extend(10_500)])
      expect(await lock.ttl()).toBeGreaterThan(5000)
      expect(await lock.ttl()).toBeLessThanOrEqual(10_500)
      await lock.release()
    })

    it('never extends what another holds (Redisson RedLock, unconditional PEXPIRE)', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await vi.waitFor(async () => expect(await keysOf(key)).not.toContain(null))
      for (const { command } of servers) {
        await command('SET', `lock:l:${key}`, 'another value', 'PX', 20_000)
      }
      await lock.extend(60_000).catch(() => 'lost')
      expect(await lock.release()).toBe('expired')
      expect(await keysOf(key)).toEqual(Array(5).fill('another value'))
      for (const { command } of servers) {
        expect(await command('PTTL', `lock:l:${key}`)).toBeLessThanOrEqual(20_000)
        await command('DEL', `lock:l:${key}`)
      }
    })
  })

  describe(`${name}: events`, () => {
    it('tell what happens, and no secrets', async () => {
      const key = freshKey()
      const events: LockEvent[] = []
      const onEvent = (event: LockEvent): void => {
        events.push(event)
        throw new Error('a listener that fails harms nobody')
      }
      const client = redlockWith([refuse, ...five().slice(1)], { onEvent })
      const lock = await client.acquire(key, { ttl: 60_000 })
      await lock.extend()
      await client.tryAcquire(key)
      await lock.release()
      await redlockWith(five(refuse, 5), { onEvent }).tryAcquire(key)
      const types = events.map(({ type }) => type)
      expect(types).toContain('node-error')
      const ended = types.filter((type) => type !== 'node-error' && type !== 'split')
      expect(ended).toEqual(['acquired', 'extended', 'rejected', 'released', 'rejected'])
      for (const event of events) expect(event.keys).toEqual([key])
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'released', result: 'released' }),
      )
      expect(JSON.stringify(events)).not.toContain(lock.value)
    })

    it('tell of a split vote and of a loss', async () => {
      const key = freshKey()
      const seen: string[] = []
      const onEvent = ({ type }: LockEvent): void => void seen.push(type)
      await servers[0]!.command('SET', `lock:l:${key}`, 'a rival of theirs', 'PX', 60_000)
      await servers[1]!.command('SET', `lock:l:${key}`, 'another rival', 'PX', 60_000)
      await redlockWith([undefined, undefined], { onEvent }).tryAcquire(key)
      // Who asks the first node alone takes its word.
      expect(seen).toContain(isFrugal ? 'rejected' : 'split')

      const other = freshKey()
      const lock = await redlockWith(five(), { onEvent }).acquire(other, { ttl: 100 })
      await vi.waitFor(() => expect(lock.signal.aborted).toBe(true), { timeout: 5000 })
      expect(seen).toContain('lost')
      await lock.release()
    })
  })

  describe(`${name}: distinct nodes`, () => {
    it('refuses two nodes that lead to one database, at first use', async () => {
      const key = freshKey()
      // The same server under another name.
      const twin = renamed(connect(0, undefined))
      const client = new Redlock({ nodes: [connect(0, undefined), twin, connect(1, undefined)] })
      // Whoever has counted both is refused, and the next one if an answer came too late to count.
      const refused = /^Expected `nodes` to be independent servers: .+ and .+ are one/
      await vi.waitFor(async () => {
        const lock = await client.acquire(key).catch((error: unknown) => error)
        if ('release' in (lock as object)) await (lock as Lock).release()
        expect(lock).toBeInstanceOf(TypeError)
      })
      const calls = [
        client.acquire(key),
        client.tryAcquire(key),
        client.throttle(key, { window: 1000 }),
      ]
      await Promise.all(calls.map((call) => expect(call).rejects.toThrow(refused)))
      await noneLeft(key)
    })

    it('asks for the identity with the first acquire, and by no request of its own', async () => {
      const key = freshKey()
      const asked: boolean[] = []
      const watch: Fault = ({ body }, send) => {
        asked.push(body.includes('"lock:id"'))
        return send()
      }
      const client = redlockWith([watch])
      await (await client.acquire(key)).release()
      const first = asked.splice(0)
      // A server that does not know the script is asked twice.
      expect(first.slice(0, -1)).not.toContain(false)
      expect(first.at(-1)).toBe(false)
      for (let turn = 0; turn < 3; turn++) await (await client.acquire(key)).release()
      expect(asked).toEqual(Array(6).fill(false))
    })
  })

  fencing(name, servers, connect)

  describe(`${name}: throttle`, () => {
    const windows = (key: string): Promise<unknown[]> => holders(servers, `lock:t:${key}`)

    it('lets one of ten pass, also when they come together', async () => {
      for (let burst = 0; burst < 5; burst++) {
        const key = freshKey()
        const results = await Promise.all(
          Array.from({ length: 10 }, () => redlock.throttle(key, { window: 60_000 })),
        )
        expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, resetAfter: 60_000 }])
        for (const result of results) {
          if (result.ok) continue
          expect(result.reason).toBe('locked')
          expect(result.retryAfter).toBeGreaterThan(30_000)
        }
      }
    })

    it('passes again when the window is over', async () => {
      const key = freshKey()
      expect(await redlock.throttle(key, { window: 500 })).toMatchObject({ ok: true })
      expect(await redlock.throttle(key, { window: 500 })).toMatchObject({ ok: false })
      await vi.waitFor(
        async () => expect(await windows(key)).toEqual([null, null, null, null, null]),
        { timeout: 5000 },
      )
      expect(await redlock.throttle(key, { window: 500 })).toMatchObject({ ok: true })
    })

    it('does not meet a lock of the same key', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key)
      expect(await redlock.throttle(key, { window: 1000 })).toMatchObject({ ok: true })
      await lock.release()
    })

    it('says unavailable when it cannot know, and keeps no window then', async () => {
      const key = freshKey()
      const cut = redlockWith(five(during('a', refuse), 3))
      expect(await cut.throttle(key, { window: 60_000 })).toMatchObject({
        ok: false,
        reason: 'unavailable',
      })
      await vi.waitFor(async () =>
        expect(await windows(key)).toEqual([null, null, null, null, null]),
      )
    })
  })
}
