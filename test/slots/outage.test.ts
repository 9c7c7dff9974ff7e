import { describe, expect, it } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { Redlock, type SlotRedlock, throttle, withSlots } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { during, type Fault, hang, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as all } from '../support/real-nodes.ts'

const [ttl, window] = [30_000, 30_000]
const run = (): Response => new Response('ran')
const request = (): Request => new Request('https://example.com')

/** A client of the first `count` nodes, of which all but the first `alive` have a fault. */
const clientOf = (count: number, alive: number, fault: Fault, nodeTimeout = 2_000): SlotRedlock => {
  const nodes = all
    .slice(0, count)
    .map((node, index) => (index < alive ? node : withFault(node, fault)))
  return withSlots(new Redlock({ nodes, nodeTimeout, warnings: false }))
}

describe('an outage of a majority', () => {
  for (const [alive, count] of [
    [1, 3],
    [1, 5],
    [2, 5],
  ] as const) {
    for (const limit of [1, 2]) {
      it(`is no contention where ${alive} of ${count} nodes say that all ${limit} are taken`, async () => {
        const well = clientOf(count, count, reject)
        const sick = clientOf(count, alive, reject)
        const [key, throttled] = [freshKey(), freshKey()]
        for (let taken = 0; taken < limit; taken++) {
          await well.acquire(key, { limit, ttl })
          await throttle(well, throttled, { limit, window })
        }
        const unavailable = { ok: false, reason: 'unavailable' }
        expect(await sick.tryAcquire(key, { limit })).toMatchObject(unavailable)
        await expect(sick.acquire(key, { limit, wait: 200 })).rejects.toThrow(
          'Too few nodes answered',
        )
        expect(await throttle(sick, throttled, { limit, window })).toMatchObject(unavailable)

        const shared = { redlock: sick, limit, failOpen: true }
        const locked = withLock({ ...shared, key }, run)
        expect((await locked(request())).status).toBe(200)
        const passing = withThrottle({ ...shared, key: throttled, window }, run)
        expect((await passing(request())).status).toBe(200)
      })
    }
  }

  it.each([1, 2])(
    'asks each node once for one of %i slots where a majority hangs',
    async (limit) => {
      let asked = 0
      const counted: Fault = (sent, send) => {
        asked++
        return hang(sent, send)
      }
      for (const alive of [1, 2]) {
        asked = 0
        const redlock = clientOf(5, alive, during('a', counted), 200)
        const result = await redlock.tryAcquire(freshKey(), { limit })
        expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
        expect(asked).toBe(5 - alive)
      }
    },
  )

  it('that ends is noticed by a throttle that waits for less than a second', async () => {
    let isOut = true
    const fault: Fault = (sent, send) => (isOut ? reject(sent, send) : send())
    const redlock = clientOf(3, 1, fault)
    const passing = throttle(redlock, freshKey(), { limit: 2, window, wait: 900 })
    setTimeout(() => (isOut = false), 100)
    expect(await passing).toMatchObject({ ok: true })
  })
})

it('shows nothing of a grant as the time of another holder', async () => {
  const nodes = memoryNodes(3)
  for (const node of nodes.slice(1)) node.fail()
  const redlock = withSlots(new Redlock({ nodes, warnings: false }))
  const result = await redlock.tryAcquire(freshKey(), { limit: 5 })
  const granted = !result.ok && result.nodes.find(({ status }) => status === 'granted')
  expect(granted && [granted.status, granted.ttl]).toEqual(['granted', undefined])
})
