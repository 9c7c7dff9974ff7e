import { describe, expect, it } from 'vitest'
import { isNotRecordedError, type NotRecordedError, once } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Values that JSON changes into something else: each is rejected, after one run, and its own call has it.

class Money {
  readonly cents: number
  constructor(cents: number) {
    this.cents = cents
  }
  get text(): string {
    return `${this.cents / 100}`
  }
}

/** As what `fail()` of SvelteKit returns: only its class tells it from data. */
class ActionFailure {
  readonly status = 400
  readonly data = { missing: true }
}

class Row {
  readonly id = 1
}

const lost: readonly (readonly [name: string, value: unknown, message: RegExp])[] = [
  [
    'a Response',
    Response.json({}),
    /a Response \(`value`\): return `await response\.json\(\)`, or set `codec`/,
  ],
  ['a Request', new Request('https://a.example'), /a Request/],
  ['a stream', new ReadableStream(), /a ReadableStream/],
  ['a Map', new Map([[1, 2]]), /a Map/],
  ['a Set', new Set([1]), /a Set/],
  ['an Error', new Error('no'), /an Error/],
  ['a function', () => 1, /a function/],
  ['a symbol', Symbol('a'), /a symbol/],
  ['bytes', new Uint8Array(3), /a Uint8Array/],
  ['a buffer', new ArrayBuffer(3), /an ArrayBuffer/],
  ['a Blob', new Blob(['a']), /a Blob/],
  ['NaN', Number.NaN, /NaN/],
  ['Infinity', Infinity, /Infinity/],
  ['a bigint', 10n, /a bigint/],
  ['a class with a getter', new Money(5), /a Money/],
  ['fail() of SvelteKit', new ActionFailure(), /`fail\(\)`/],
  ['a Map in an object', { a: { b: new Map() } }, /a Map \(`value\.a\.b`\)/],
  ['a function in a list', [1, () => 1], /a function \(`value\[1\]`\)/],
]

const kept: readonly (readonly [name: string, value: unknown, expected: unknown])[] = [
  ['plain data', { a: [1, 'b', null, true], c: undefined }, { a: [1, 'b', null, true] }],
  ['nothing', undefined, undefined],
  [
    'an object without a prototype',
    Object.assign(Object.create(null) as object, { a: 1 }),
    { a: 1 },
  ],
  ['a row of a driver, which has a class without methods', new Row(), { id: 1 }],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['what has a toJSON', { toJSON: () => ({ decimal: '1.5' }) }, { decimal: '1.5' }],
  ['a url', new URL('https://a.example/b'), 'https://a.example/b'],
  ['the same object twice', ((one) => [one, one])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
]

describe('a value that JSON does not keep', () => {
  it.each(lost)(
    '%s is rejected with hasRun and the value, and never runs again',
    async (_, value, message) => {
      const redlock = new Redlock({ nodes: memoryNodes(3) })
      let runs = 0
      const call = (): Promise<unknown> =>
        once<unknown>(redlock, 'k', { keepFor: 60_000 }, () => {
          runs++
          return value
        }).catch((error: unknown) => error)
      const first = (await call()) as NotRecordedError
      expect(isNotRecordedError(first)).toBe(true)
      expect(first).toMatchObject({ reason: 'not-kept', hasRun: true })
      expect(first.message).toMatch(message)
      expect(first.message).toContain('`codec`')
      expect(first.value).toBe(value)
      const later = (await call()) as NotRecordedError
      expect(later).toMatchObject({ reason: 'not-kept', hasRun: false })
      expect(runs).toBe(1)
    },
  )

  it('is one that contains itself, too', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const value: { own?: unknown } = {}
    value.own = value
    const call = once<unknown>(redlock, 'k', { keepFor: 60_000 }, () => value)
    await expect(call).rejects.toMatchObject({ reason: 'not-kept', hasRun: true })
  })

  it('is what the codec makes of it, if there is one', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const codec = {
      encode: (map: Map<string, number>) => new TextEncoder().encode(JSON.stringify([...map])),
      decode: (bytes: Uint8Array) =>
        new Map(JSON.parse(new TextDecoder().decode(bytes)) as [string, number][]),
    }
    const call = () => once(redlock, 'k', { keepFor: 60_000, codec }, () => new Map([['a', 1]]))
    expect([await call(), await call()]).toEqual([new Map([['a', 1]]), new Map([['a', 1]])])
  })

  it('needs a codec by its type', () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const options = { keepFor: 60_000 }
    const never = async (): Promise<void> => {
      // @ts-expect-error -- a Response needs a codec
      await once(redlock, 'k', options, () => Response.json({}))
      // @ts-expect-error -- so does a promise of one
      await once(redlock, 'k', options, async () => Response.json({}))
      // @ts-expect-error -- and a Map
      await once(redlock, 'k', options, () => new Map<string, string>())
      await once(redlock, 'k', options, () => ({ name: 'a', message: 'b' }))
      await once(redlock, 'k', options, (): unknown => 1)
    }
    expect(never).toBeTypeOf('function')
  })
})

it.each(kept)('%s is kept', async (_, value, expected) => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const call = (): Promise<unknown> => once<unknown>(redlock, 'k', { keepFor: 60_000 }, () => value)
  expect([await call(), await call()]).toEqual([expected, expected])
})
