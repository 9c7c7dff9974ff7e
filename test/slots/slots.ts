import { describe, expect, it } from 'vitest'
import {
  adopt,
  type Lock,
  Redlock,
  type RedlockOptions,
  serialize,
  type SlotRedlock,
  ttlOf,
  withSlots,
} from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { type Fault, hang, reject, slow } from '../support/faults.ts'
import type { NodeKind } from '../support/node-kind.ts'
import { freshKey, holders } from '../support/nodes.ts'

/** The tests of locks with a `limit` for every kind of node and every runtime. */
export const slots = (name: string, kind: NodeKind): void => {
  const { nodes, servers, connect } = kind
  const client = (options: Partial<RedlockOptions> = {}): SlotRedlock =>
    withSlots(new Redlock({ nodes, ...options }))
  const redlock = client()
  const slotsOf = (locks: readonly Lock[]): string[] => locks.map(({ keys }) => keys[0]!).sort()
  const slotNames = (key: string, limit: number): string[] =>
    Array.from({ length: limit }, (_, index) => `${key}#${index + 1}`)
  const releaseAll = (locks: readonly Lock[]) => Promise.all(locks.map((lock) => lock.release()))

  /** Each node with a fault of its own, if there is one. */
  const faulty = (faults: readonly (Fault | undefined)[]): NodeKind['nodes'] =>
    nodes.map((_, index) => connect(index, faults[index]))

  /** Nothing of these slots is left on any node. */
  const expectFree = async (key: string, limit: number): Promise<void> => {
    for (const slot of slotNames(key, limit)) {
      await eventually(async () => {
        expect(await holders(servers, `lock:l:${slot}`)).toEqual(nodes.map(() => null))
      })
    }
  }

  describe(`${name}: limit`, () => {
    it('has as many holders as the limit, each with a slot of its own, and rejects the next', async () => {
      const key = freshKey()
      const locks: Lock[] = []
      for (let count = 0; count < 3; count++) locks.push(await redlock.acquire(key, { limit: 3 }))
      expect(slotsOf(locks)).toEqual(slotNames(key, 3))
      const rejected = await redlock.tryAcquire(key, { limit: 3 })
      expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
      await locks.pop()!.release()
      const next = await redlock.acquire(key, { limit: 3 })
      await releaseAll([...locks, next])
      await expectFree(key, 3)
    })

    it('rejects a full house in one round', async () => {
      const key = freshKey()
      const locks: Lock[] = []
      for (let count = 0; count < 4; count++) {
        locks.push(await redlock.acquire(key, { limit: 4, ttl: 60_000 }))
      }
      let requests = 0
      const counted = nodes.map((_, index) => connect(index, (_, send) => (requests++, send())))
      // Where one node answers late, it gets another request.
      await eventually(async () => {
        requests = 0
        const rejected = await client({ nodes: counted }).tryAcquire(key, { limit: 4 })
        expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
        expect(!rejected.ok && rejected.retryAfter).toBeLessThanOrEqual(60_000)
        expect(requests).toBe(nodes.length)
      })
      await releaseAll(locks)
    })

    it('rejects a full house in one round, also where each holder has just a majority', async () => {
      const key = freshKey()
      const locks: Lock[] = []
      for (const down of [
        [2, 3],
        [2, 4],
        [0, 3],
      ]) {
        const reached = faulty(nodes.map((_, index) => (down.includes(index) ? reject : undefined)))
        locks.push(await client({ nodes: reached }).acquire(key, { limit: 3, ttl: 60_000 }))
      }
      let acquires = 0
      const counted = nodes.map((_, index) =>
        connect(index, ({ body }, send) => {
          // `any N` or `only N`, in a call of the script.
          if (/"(any|only) \d+"/.test(body)) acquires++
          return send()
        }),
      )
      // Where one node answers late, another round follows.
      await eventually(async () => {
        acquires = 0
        const rejected = await client({ nodes: counted }).tryAcquire(key, { limit: 3 })
        expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
        expect(acquires).toBe(nodes.length)
      })
      await releaseAll(locks)
      await expectFree(key, 3)
    })

    it('gives every slot to a burst of that many, and never more', async () => {
      for (const [clients, limit] of [
        [2, 2],
        [3, 2],
        [5, 5],
        [12, 3],
      ] as const) {
        const key = freshKey()
        const results = await Promise.all(
          Array.from({ length: clients }, () => client().tryAcquire(key, { limit })),
        )
        const won = results.flatMap((result) => (result.ok ? [result.lock] : []))
        expect(won.length).toBeGreaterThanOrEqual(1)
        expect(won.length).toBeLessThanOrEqual(limit)
        expect(new Set(slotsOf(won)).size).toBe(won.length)
        await releaseAll(won)
        await expectFree(key, limit)
      }
    })

    it.each<[string, (Fault | undefined)[]]>([
      ['the first hangs', [hang]],
      ['the last hangs', [undefined, undefined, undefined, undefined, hang]],
      ['one rejects', [undefined, reject]],
      ['one is slow', [slow(150)]],
    ])('never has more holders than the limit while %s', async (_, faults) => {
      const key = freshKey()
      let holding = 0
      let most = 0
      let turns = 0
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          const own = client({ nodes: faulty(faults), warnings: false })
          await own.using(key, { limit: 2, wait: 60_000 }, async () => {
            most = Math.max(most, ++holding)
            turns++
            await new Promise((resolve) => setTimeout(resolve, 20))
            holding--
          })
        }),
      )
      expect(turns).toBe(6)
      expect(most).toBeLessThanOrEqual(2)
    })

    it('extends a slot, fences it, and hands it over', async () => {
      const key = freshKey()
      const first = await redlock.acquire(key, { limit: 2 })
      const second = await redlock.acquire(key, { limit: 2 })
      const token = await first.fencingToken()
      await first.extend(20_000)
      expect(await ttlOf(first)).toBeGreaterThan(10_000)
      const adopted = adopt(redlock, serialize(first))
      expect(await adopted.fencingToken()).toBe(token)
      expect(await adopted.release()).toBe('released')
      const third = await redlock.acquire(key, { limit: 2 })
      expect(third.keys).toEqual(first.keys)
      expect(await third.fencingToken()).toBeGreaterThan(token)
      await releaseAll([second, third])
    })

    it('wakes a waiter of this process when any slot is released', async () => {
      const key = freshKey()
      // Off by default on Workers.
      const queueing = client({ localQueue: true })
      const locks = [
        await queueing.acquire(key, { limit: 2 }),
        await queueing.acquire(key, { limit: 2 }),
      ]
      const retry = { delay: 50_000, maxDelay: 50_001 }
      const waiting = queueing.acquire(key, { limit: 2, wait: 60_000, retry })
      await new Promise((resolve) => setTimeout(resolve, 200))
      await locks[1]!.release()
      const third = await waiting
      expect(third.keys).toEqual(locks[1]!.keys)
      await releaseAll([locks[0]!, third])
    })

    it('is a plain lock with a limit of 1', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { limit: 1 })
      expect((await redlock.tryAcquire(key, { limit: 1 })).ok).toBe(false)
      await lock.release()
    })

    it('rejects several keys, and a Redlock without slots', async () => {
      await expect(redlock.acquire(['a', 'b'], { limit: 2 })).rejects.toThrow('one resource')
      const plain = new Redlock({ nodes })
      await expect(plain.acquire('a', { limit: 2 } as object)).rejects.toThrow('withSlots')
      expect(() => withSlots({} as Redlock)).toThrow('redlock')
    })
  })
}
