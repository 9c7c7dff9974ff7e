import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { adopt, inspect, Redlock, serialize, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Every input causes either a clear validation error or correct behaviour: never a hang, never a key
// that stays locked.

const runs = 500
const nodes = memoryNodes(3)
const redlock = new Redlock({ nodes })
const locks = (): string[] =>
  nodes.flatMap(({ entries }) => [...entries.keys()].filter((key) => /:[lt]:/.test(key)))
afterEach(() => {
  if (locks().length > 0) throw new Error(`Left behind: ${locks().join()}`)
  for (const { entries } of nodes) entries.clear()
})

/** A clear error names the option and what it should be, and is a TypeError or a RangeError. */
const isClear = (error: unknown, option: string): boolean =>
  (error instanceof TypeError || error instanceof RangeError) &&
  (error.message.startsWith(`\`${option}`) ||
    (error.message.startsWith('Unknown option `') && error.message.includes(`\` of ${option}: `)))

const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text)
const size = 4096

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('', ' ', '\0', '\r\n', '__proto__', 'constructor', '*', '{tag}', '\ud800', 'é'),
  fc.constantFrom('x'.repeat(size), 'x'.repeat(size + 1), 'x'.repeat(1_000_000), '💥'.repeat(2048)),
)
const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, -1, 0, -0, 0.5, 1e21, 2 ** 53, Symbol('s')),
)

describe('keys', () => {
  const fits = (key: string): boolean => key !== '' && key.length <= size && isWellFormed(key)

  it('are locked unchanged, or rejected', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (key) => {
        const attempt = redlock.tryAcquire(key)
        if (!fits(key)) {
          const error: unknown = await attempt.catch((reason: unknown) => reason)
          expect(isClear(error, 'key')).toBe(true)
          return
        }
        const result = await attempt
        expect(result.ok).toBe(true)
        expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
        if (result.ok) expect(await result.lock.release()).toBe('released')
      }),
      { numRuns: runs },
    )
  })

  it('of the wrong type are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (key) => {
        fc.pre(
          typeof key !== 'string' &&
            !(Array.isArray(key) && key.every((k) => typeof k === 'string')),
        )
        for (const call of [
          redlock.tryAcquire(key as string),
          throttle(redlock, key as string, { window: 1000 }),
          inspect(redlock, key as string),
        ]) {
          const error: unknown = await call.catch((reason: unknown) => reason)
          expect(isClear(error, 'key')).toBe(true)
        }
      }),
      { numRuns: runs },
    )
  })

  it('in any order and with duplicates are locked together', async () => {
    const keys = fc.array(anyText.filter(fits), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(keys, async (names) => {
        const lock = await redlock.acquire(names)
        expect(new Set(lock.keys)).toEqual(new Set(names))
        expect(await redlock.tryAcquire(names.toReversed())).toMatchObject({ ok: false })
        await lock.release()
      }),
      { numRuns: runs },
    )
  })
})

describe('options', () => {
  it('with metadata store it unchanged, or are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (metadata) => {
        const outcome = redlock.acquire('key', { metadata })
        if (!isWellFormed(metadata) || metadata.length > size) {
          await expect(outcome).rejects.toThrow('`metadata` must be ')
          return
        }
        const lock = await outcome
        const inspection = await inspect(redlock, 'key')
        expect(inspection).toMatchObject({ state: 'locked' })
        expect(inspection.metadata ?? '').toBe(metadata)
        expect(await lock.release()).toBe('released')
      }),
      { numRuns: runs },
    )
  })

  it('of adopt, of any shape, cause a clear error that shows no secret', async () => {
    const lock = await redlock.acquire('key')
    const shape = { ...serialize(lock) }
    await lock.release()
    const field = fc.constantFrom(...(Object.keys(shape) as (keyof typeof shape)[]))
    await fc.assert(
      fc.asyncProperty(field, anything, async (name, value) => {
        let adopted
        try {
          adopted = adopt(redlock, { ...shape, [name]: value })
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          expect(String(error)).toMatch(/`(serialized(\.\w+)?|ttl|key|metadata)` must be /)
          expect(String(error)).not.toContain(shape.value)
          return
        }
        await adopted.release()
      }),
      { numRuns: runs },
    )
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        expect(() => adopt(redlock, value as never)).toThrow('`serialized` must be ')
      }),
      { numRuns: runs },
    )
    expect(() => adopt(redlock, `{"value":"${shape.value}"`)).toThrow(
      expect.not.stringContaining(shape.value) as string,
    )
  })
})
