import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answer } from './answers.ts'
import type { Operation, Outcome } from './outcomes.ts'
import { broken, faithful } from './transport.ts'
import { type Behaviour, makeWorld } from './world.ts'

// For all operations together, which are in two files that run concurrently.
const cases = Number(process.env['HOSTILE_CASES'] ?? 21_000)
const perOperation = Math.ceil(cases / 7)

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ answer, transport: faithful, isDelivered: fc.constant(true) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ answer, transport: broken, isDelivered: fc.constant(false) }),
  },
)
// Any two of the three.
const behaviours = fc
  .tuple(behaviour, behaviour, fc.nat({ max: 2 }))
  .map(([one, two, honest]) => [one, two].toSpliced(honest, 0, undefined as unknown as Behaviour))

/** The properties that all objects inherit. A reply with a key such as __proto__ must not change them. */
const inherited = (): unknown[] =>
  [Object.prototype, Array.prototype, String.prototype, Function.prototype].flatMap((prototype) =>
    Reflect.ownKeys(prototype).flatMap((key) => {
      const { value, get } = Reflect.getOwnPropertyDescriptor(prototype, key)!
      return [key, value ?? get] as unknown[]
    }),
  )

/** Tests with nodes that send arbitrary answers. An independent judge decides which ones are votes. */
export const replies = (operations: Readonly<Record<string, Operation>>): void => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  beforeAll(() => void process.on('unhandledRejection', note))
  afterAll(() => void process.off('unhandledRejection', note))

  let total = 0
  let malformed = 0

  it.each(Object.entries(operations))(
    '%s has the result that a quorum of valid replies determines',
    { timeout: perOperation * 50 },
    async (_, operate) => {
      const before = inherited()
      const seen = new Set<Outcome>()
      await fc.assert(
        fc.asyncProperty(behaviours, async (next) => {
          const world = makeWorld()
          seen.add(await operate(world, () => world.become(next)))
          total++
          malformed += world.malformed()
        }),
        { numRuns: perOperation },
      )
      // Valid replies are counted, the others are not.
      expect(seen).toContain('yes')
      expect(seen).toContain('unknown')
      expect(inherited()).toSatisfy(
        (after: unknown[]) =>
          after.every((one, index) => one === before[index]) && after.length === before.length,
      )
    },
  )

  it('the tests ran as many cases as configured, with more malformed answers than cases', () => {
    const minTotal = perOperation * Object.keys(operations).length
    expect(total).toBeGreaterThanOrEqual(minTotal)
    expect(malformed).toBeGreaterThan(minTotal)
  })

  it('no rejection is unhandled', async () => {
    // Node reports them after the microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })
}
