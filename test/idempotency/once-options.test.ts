import { expect, it } from 'vitest'
import { forget, once } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Each bad input gets an error that names the option, and nothing runs.

const nodes = memoryNodes(3)
const redlock = new Redlock({ nodes })
const good = { keepFor: 1_000 }

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
])('forget rejects %s', async (_, args, message) => {
  await expect(forget(...(args as Parameters<typeof forget>))).rejects.toThrow(message)
  expect(nodes.map(({ entries }) => entries.size)).toEqual([0, 0, 0])
})

it.each([null, Symbol('k')])('the name of a key that is %s is no text', async (key) => {
  await expect(once(redlock, key as never, good, () => 1)).rejects.toThrow(/`key`/)
})
