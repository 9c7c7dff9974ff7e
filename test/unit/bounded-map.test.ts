import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedMap } from '../../src/util/bounded-map.ts'

const maxBytes = 1_000

const entry = fc.record({
  key: fc.string({ maxLength: 30 }),
  value: fc.nat(9),
  overhead: fc.oneof(fc.nat(200), fc.nat(1_200)),
})

describe('a bounded map', () => {
  it('keeps the newest entries within half of its bytes, and forgets what is beyond them', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
        const map = boundedMap<number>(maxBytes)
        // Each key with the value that was set last, in the order in which they were set.
        const model = new Map<string, { readonly value: number; readonly bytes: number }>()
        for (const { key, value, overhead } of entries) {
          map.set(key, value, overhead)
          const bytes = Math.max(2 * key.length + overhead, model.get(key)?.bytes ?? 0)
          model.delete(key)
          model.set(key, { value, bytes })
          let newer = 0
          let kept = 0
          for (const [name, known] of [...model].toReversed()) {
            newer += known.bytes
            const found = map.get(name)
            if (newer <= maxBytes / 2 || name === key) expect(found).toBe(known.value)
            if (found !== undefined) {
              expect(found).toBe(known.value)
              kept += known.bytes
            }
          }
          // Two halves, and in each one entry that is too large for it.
          expect(kept).toBeLessThanOrEqual(maxBytes + 2 * 1_260)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes no more bytes than its limit in entries that are small beside it', () => {
    const map = boundedMap<number>(maxBytes)
    for (let index = 0; index < 1_000; index++) map.set(`${index}`.padStart(5, '0'), index, 15)
    const kept = Array.from({ length: 1_000 }, (_, index) =>
      map.get(`${index}`.padStart(5, '0')),
    ).filter((value) => value !== undefined)
    expect(kept.length).toBeLessThanOrEqual(40)
    expect(kept.length).toBeGreaterThanOrEqual(20)
    expect(kept.at(-1)).toBe(999)
  })
})
