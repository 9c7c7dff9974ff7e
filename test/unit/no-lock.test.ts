import { expect, it } from 'vitest'
import { Redlock, serialize, ttlOf } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Mistakes that a first user makes with the new functions: no lock, no `await`, the result of `tryAcquire`.

const redlock = new Redlock({ nodes: memoryNodes(3) })
const wrong: [string, () => unknown][] = [
  ['undefined', () => undefined],
  ['a promise', () => redlock.acquire('a').then(async (lock) => (await lock.release(), lock))],
  ['the result of tryAcquire', () => ({ ok: true, lock: {} })],
  ['JSON', () => '{}'],
]

it.each(wrong)('serialize() names the mistake where it gets %s', (_, make) => {
  expect(() => serialize(make() as never)).toThrow(/`lock` must be/)
})

it.each(wrong)('ttlOf() names the mistake where it gets %s', async (_, make) => {
  await expect(ttlOf(make() as never)).rejects.toThrow(/`lock` must be/)
})
