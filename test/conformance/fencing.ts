import { describe, expect, it, vi } from 'vitest'
import {
  isLockLostError,
  isQuorumError,
  type Lock,
  type LockNode,
  Redlock,
  type RedlockOptions,
  type RestNodeOptions,
} from '../../src/index.ts'
import { during, type Fault, refuse } from '../support/faults.ts'
import { freshKey, type Server } from '../support/nodes.ts'

type Connect = (index: number, fault: Fault | undefined) => RestNodeOptions | LockNode

/** What the token of a lock must be, whatever its nodes are. One of the suites of `conformance`. */
export const fencing = (name: string, servers: readonly Server[], connect: Connect): void => {
  const redlockWith = (fault?: Fault, options: Partial<RedlockOptions> = {}): Redlock =>
    new Redlock({ nodes: servers.map((_, index) => connect(index, fault)), ...options })
  const redlock = redlockWith()
  const setFence = async (key: string, counters: readonly number[]): Promise<void> => {
    for (const [index, counter] of counters.entries()) {
      await servers[index]!.command('SET', `lock:f:${key}`, `${counter} another`, 'PX', 60_000)
    }
  }
  const countersOf = (key: string): Promise<number[]> =>
    Promise.all(
      servers.map(async ({ command }) =>
        Number(((await command('GET', `lock:f:${key}`)) as string | null)?.split(' ')[0]),
      ),
    )
  const onAll = (lock: Lock): Promise<void> =>
    vi.waitFor(async () => {
      for (const { command } of servers) {
        expect(await command('GET', `lock:l:${lock.keys[0]}`)).not.toBeNull()
      }
    })
  const later = 2 * Date.now()

  describe(`${name}: fencing token`, () => {
    it('rises from holder to holder, and is near the time of day', async () => {
      const key = freshKey()
      const tokens: number[] = []
      for (let holder = 0; holder < 5; holder++) {
        const lock = await redlock.acquire(key, { wait: 20_000 })
        tokens.push(await lock.fence())
        await lock.release()
      }
      expect(new Set(tokens).size).toBe(5)
      expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
      expect(tokens.every(Number.isSafeInteger)).toBe(true)
      expect(Math.abs(tokens[0]! - Date.now())).toBeLessThan(60_000)
    })

    it('costs no request where the nodes agree, and stays the same', async () => {
      const key = freshKey()
      const requests = vi.fn<Fault>((_, send) => send())
      const lock = await redlockWith(requests).acquire(key, { ttl: 60_000 })
      await onAll(lock)
      const before = requests.mock.calls.length
      const token = await lock.fence()
      expect(requests.mock.calls.length).toBe(before)
      await lock.extend()
      expect(await lock.fence()).toBe(token)
      expect(await lock.reenter().fence()).toBe(token)
      await lock.release()
      await lock.release()
    })

    it('is confirmed by all nodes that are asked where they do not agree', async () => {
      const key = freshKey()
      await setFence(key, [later, later + 10, later + 20, later + 30, later + 40])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const token = await lock.fence()
      expect(token).toBeGreaterThan(later + 20)
      const raised = (await countersOf(key)).filter((counter) => counter === token)
      expect(raised.length).toBeGreaterThanOrEqual(3)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fence()).toBeGreaterThan(token)
      await next.release()
    })

    it('is one for all who ask at the same time', async () => {
      const key = freshKey()
      await setFence(key, [later, later + 10, later + 20, later + 30, later + 40])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const tokens = await Promise.all([lock.fence(), lock.fence(), lock.extend(), lock.fence()])
      const token = await lock.fence()
      expect(tokens).toEqual([token, token, undefined, token])
      await lock.release()
    })

    it('is not what a minority says, however high', async () => {
      const key = freshKey()
      await setFence(key, [0, 0, 0, later, later])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const token = await lock.fence()
      await lock.extend()
      expect(await lock.fence()).toBe(token)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fence()).toBeGreaterThan(token)
      await next.release()
    })

    it('is exact up to the largest safe integer', async () => {
      const key = freshKey()
      const large = 2 ** 53 - 10
      await setFence(key, [large, large, large, large, large])
      const lock = await redlock.acquire(key)
      expect(await lock.fence()).toBe(large + 1)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fence()).toBe(large + 2)
      await next.release()
    })

    it('rises over all of several keys', async () => {
      const [a, b, c] = [freshKey(), freshKey(), freshKey()]
      await setFence(b, [later, later, later, later, later])
      const both = await redlock.acquire([a, b])
      const token = await both.fence()
      expect(token).toBe(later + 1)
      await both.release()
      // Whoever shares a key with it comes later on that key.
      for (const keys of [a, b, [b, c], [c, a]]) {
        const lock = await redlock.acquire(keys, { wait: 20_000 })
        expect(await lock.fence()).toBeGreaterThan(token)
        await lock.release()
      }
    })

    it('is not raised by a request that is executed twice', async () => {
      const key = freshKey()
      const twice = during('a', async (_, send) => {
        await (await send()).text()
        return send()
      })
      const lock = await redlockWith(twice).acquire(key, { ttl: 60_000 })
      await onAll(lock)
      const counters = await countersOf(key)
      expect(new Set(counters).size).toBe(1)
      expect(await lock.fence()).toBe(counters[0])
      await lock.release()
    })

    it('follows a clock that is wrong by no more than 5 s', async () => {
      for (const off of [-3_600_000, 3_600_000]) {
        const clock = {
          wall: () => Date.now() + off,
          monotonic: () => performance.now(),
          setTimer: (callback: () => void, delay: number) => {
            const timer = setTimeout(callback, delay)
            return () => clearTimeout(timer)
          },
        }
        const lock = await redlockWith(undefined, { clock }).acquire(freshKey(), { ttl: 60_000 })
        const token = await lock.fence()
        expect(Math.abs(token - Date.now())).toBeLessThan(15_000)
        await lock.release()
      }
    })

    it('rises also where nodes have lost everything', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const token = await lock.fence()
      await onAll(lock)
      await lock.release()
      // Time goes on, in which the clocks that the counters follow do too.
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(token + 1))
      for (const { command } of servers) {
        await command('DEL', `lock:f:${key}`)
        await command('DEL', `lock:l:${key}`)
      }
      const next = await redlock.acquire(key)
      expect(await next.fence()).toBeGreaterThan(token)
      await next.release()
    })

    it('starts by the clock where an extend puts the lock into an empty node', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await onAll(lock)
      const token = await lock.fence()
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(token + 1))
      const [empty] = servers
      await empty!.command('DEL', `lock:l:${key}`)
      await empty!.command('DEL', `lock:f:${key}`)
      await lock.extend()
      await onAll(lock)
      // Another may have held it there in between, with a counter that nobody knows now.
      expect((await countersOf(key))[0]).toBeGreaterThan(token)
      expect(await lock.fence()).toBe(token)
      await lock.release()
    })

    it('stays the same when the lock is healed, and rises after it', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await onAll(lock)
      const token = await lock.fence()
      for (const { command } of servers.slice(0, 4)) await command('DEL', `lock:l:${key}`)
      await lock.extend()
      await onAll(lock)
      expect(await lock.fence()).toBe(token)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fence()).toBeGreaterThan(token)
      await next.release()
    })

    it('can be asked for where the lock was handed on', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await onAll(lock)
      const token = await lock.fence()
      const adopted = redlockWith().adopt(JSON.stringify(lock))
      expect(await adopted.fence()).toBe(token)
      // The first extend tells it too.
      const requests = vi.fn<Fault>((_, send) => send())
      const again = redlockWith(requests).adopt(JSON.stringify(lock))
      await again.extend()
      const before = requests.mock.calls.length
      expect(await again.fence()).toBe(token)
      expect(requests.mock.calls.length).toBe(before)
      await again.release()
    })

    it('is refused for a lock that is ours no longer', async () => {
      const key = freshKey()
      await setFence(key, [later, later + 10, later + 20, later + 30, later + 40])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await onAll(lock)
      for (const { command } of servers) {
        await command('SET', `lock:l:${key}`, 'another', 'PX', 60_000)
      }
      const error = await lock.fence().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      expect(lock.held).toBe(false)
      await lock.release()

      const other = await redlock.acquire(freshKey())
      await other.release()
      const late = await other.fence().catch((reason: unknown) => reason)
      expect(isLockLostError(late)).toBe(true)
    })

    it('is not made up while too few nodes answer, and comes when they do', async () => {
      const key = freshKey()
      await setFence(key, [later, later + 10, later + 20, later + 30, later + 40])
      let isDown = true
      const outage = during('e', (request, send) => (isDown ? refuse(request, send) : send()))
      const lock = await redlockWith(outage).acquire(key, { ttl: 60_000 })
      const error = await lock.fence().catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      expect(lock.held).toBe(true)
      isDown = false
      expect(await lock.fence()).toBeGreaterThan(later + 20)
      await lock.release()
    })

    it('is kept a day longer than the lock, and not at all for a throttle', async () => {
      const [key, window] = [freshKey(), freshKey()]
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await onAll(lock)
      await lock.release()
      await redlock.throttle(window, { window: 60_000 })
      for (const { command } of servers) {
        const left = (await command('PTTL', `lock:f:${key}`)) as number
        expect(left).toBeGreaterThan(86_400_000)
        expect(left).toBeLessThanOrEqual(86_460_000)
        expect(await command('GET', `lock:f:${window}`)).toBeNull()
      }
    })
  })
}
