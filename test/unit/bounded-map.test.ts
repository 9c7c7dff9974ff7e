import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoundedMap } from '../../src/util/bounded-map.ts'

const maxBytes = 1_000

type Entry = { readonly key: string; readonly value: number; readonly bytes: number }

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      key: fc.string({ maxLength: 30 }),
      value: fc.nat(9),
      overhead: fc.oneof(fc.nat(200), fc.nat(1_200)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      key: fc.string({ maxLength: 2 }),
    }),
  },
)

const sum = (entries: readonly Entry[]): number =>
  entries.reduce((bytes, entry) => bytes + entry.bytes, 0)

describe('a bounded map', () => {
  it('keeps the newest entries, less an eighth whenever it is full, in any sequence of steps', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const map = new BoundedMap<number>(maxBytes)
        let model: Entry[] = []
        const seen = new Set<string>()
        for (const one of steps) {
          if (one.kind === 'set') {
            const { key, value, overhead } = one
            const bytes = 2 * key.length + overhead
            map.set(key, value, overhead)
            seen.add(key)
            model = model.filter((entry) => entry.key !== key)
            if (bytes > maxBytes) continue
            if (sum(model) + bytes > maxBytes) {
              const room = Math.min((maxBytes * 7) / 8, maxBytes - bytes)
              while (sum(model) > room) model.shift()
            }
            model.push({ key, value, bytes })
          } else {
            map.delete(one.key)
            model = model.filter(({ key }) => key !== one.key)
          }
          for (const key of seen) {
            expect(map.get(key)).toBe(model.find((entry) => entry.key === key)?.value)
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
