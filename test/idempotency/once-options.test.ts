import { expect, it } from 'vitest'
import { forget, once } from '../../src/idempotency/index.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'

// Each bad input gets an error that names the option, and nothing runs.

const nodes = memoryNodes(3)
const redlock = new Redlock({ nodes })
const good = { keepFor: 1_000 }
const codec = { encode: () => new Uint8Array(), decode: () => 1 }

it.each<[string, unknown, RegExp]>([
  ['no options', undefined, /`options` to be an object in once\(\)/],
  ['options that are none', 5, /`options`/],
  ['an unknown option', { ...good, retry: {} }, /Unknown option `retry` of once\(\)/],
  ['no keepFor', {}, /`keepFor`/],
  ['a short keepFor', { keepFor: 999 }, /`keepFor`/],
  ['a negative keepFor', { keepFor: -1 }, /`keepFor`/],
  ['a keepFor with a fraction', { keepFor: 1_000.5 }, /`keepFor`/],
  ['an endless keepFor', { keepFor: Infinity }, /`keepFor`/],
  ['a keepFor that is text', { keepFor: '1000' }, /`keepFor`/],
  ['a negative wait', { ...good, wait: -1 }, /`wait`/],
  ['a wait that is NaN', { ...good, wait: Number.NaN }, /`wait`/],
  ['a ttl that is too short', { ...good, ttl: 1 }, /`ttl`/],
  ['a ttl that is text', { ...good, ttl: 'long' }, /`ttl`/],
  ['a maxHold of 0', { ...good, maxHold: 0 }, /`maxHold`/],
  ['negative maxExtensions', { ...good, maxExtensions: -1 }, /`maxExtensions`/],
  ['a codec that is none', { ...good, codec: 'json' }, /`codec`/],
  ['a codec without decode', { ...good, codec: { encode: codec.encode } }, /`codec.decode`/],
  ['a codec without encode', { ...good, codec: { decode: codec.decode } }, /`codec.encode`/],
  ['a store that is none', { ...good, store: {} }, /`store`/],
  ['a signal that is none', { ...good, signal: {} }, /`signal`/],
  ['a waitUntil that is none', { ...good, waitUntil: {} }, /`waitUntil`/],
])('once rejects %s', async (_, options, message) => {
  let runs = 0
  await expect(once(redlock, 'k', options as never, () => runs++)).rejects.toThrow(message)
  expect([runs, ...nodes.map(({ entries }) => entries.size)]).toEqual([0, 0, 0, 0])
})

it.each<[string, readonly unknown[], RegExp]>([
  ['no redlock', [undefined, 'k', good, () => 1], /`redlock`/],
  ['a redlock that is none', [{}, 'k', good, () => 1], /`redlock`/],
  ['a key that is no text', [redlock, 5, good, () => 1], /`key`/],
  ['an empty key', [redlock, '', good, () => 1], /`key`/],
  ['no function', [redlock, 'k', good], /`run`/],
])('once rejects %s', async (_, args, message) => {
  await expect(once(...(args as Parameters<typeof once>))).rejects.toThrow(message)
})

it.each<[string, readonly unknown[], RegExp]>([
  ['no redlock', [undefined, 'k'], /`redlock`/],
  ['an empty key', [redlock, ''], /`key`/],
  ['an unknown option', [redlock, 'k', { keepFor: 0 }], /Unknown option `keepFor` of forget\(\)/],
  ['options that are none', [redlock, 'k', 5], /`options`/],
  ['a negative wait', [redlock, 'k', { wait: -1 }], /`wait`/],
  ['a wait that is text', [redlock, 'k', { wait: 'long' }], /`wait`/],
  ['a signal that is none', [redlock, 'k', { signal: {} }], /`signal`/],
  ['a waitUntil that is none', [redlock, 'k', { waitUntil: 5 }], /`waitUntil`/],
])('forget rejects %s', async (_, args, message) => {
  await expect(forget(...(args as Parameters<typeof forget>))).rejects.toThrow(message)
  expect(nodes.map(({ entries }) => entries.size)).toEqual([0, 0, 0])
})

it.each([null, Symbol('k')])('the name of a key that is %s is no text', async (key) => {
  await expect(once(redlock, key as never, good, () => 1)).rejects.toThrow(/`key`/)
})
