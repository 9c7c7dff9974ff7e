import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lockKey } from '../../src/index.ts'

describe('lockKey', () => {
  it('joins its parts with colons', () => {
    expect(lockKey('submit', 42, 'essay:1', true, 7n)).toBe('submit:42:essay%3A1:true:7')
  })

  it('never returns the same key for different parts', () => {
    const parts = fc.array(
      fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.stringMatching(/^[:%#a\-325A]+$/)),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = one.length === other.length && one.every((part, i) => part === other[i])
        expect(lockKey(...one) === lockKey(...other)).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  it('never returns the name of a slot of another key', () => {
    // With `withSlots`, slot 1 of the user ada is `user:ada#1`.
    expect(lockKey('user', 'ada#1')).toBe('user:ada%231')
  })

  it('rejects a missing part, so that no two users share a lock by mistake', () => {
    for (const part of [undefined, null, Number.NaN, Infinity, {}, ['a'], Symbol('a')]) {
      expect(() => lockKey('user', part as string)).toThrow(/`part 2 of lockKey`/)
    }
    expect(() => lockKey()).toThrow(TypeError)
  })
})
