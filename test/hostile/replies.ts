import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answer } from './answers.ts'
import type { Operation, Outcome } from './outcomes.ts'
import { broken, faithful } from './transport.ts'
import { type Behaviour, makeWorld } from './world.ts'

// By all operations together. They are in two files, which run side by side.
const cases = Number(process.env['HOSTILE_CASES'] ?? 21_000)
const perOperation = Math.ceil(cases / 7)

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ answer, transport: faithful, isBrought: fc.constant(true) }),
  },
  { weight: 1, arbitrary: fc.record({ answer, transport: broken, isBrought: fc.constant(false) }) },
)
// Any two of the three.
const behaviours = fc
  .tuple(behaviour, behaviour, fc.nat({ max: 2 }))
  .map(([one, two, honest]) => [one, two].toSpliced(honest, 0, undefined as unknown as Behaviour))

/** What everything inherits: a reply with a key such as __proto__ is to change nothing of it. */
const inherited = (): unknown[] =>
  [Object.prototype, Array.prototype, String.prototype, Function.prototype].flatMap((prototype) =>
    Reflect.ownKeys(prototype).flatMap((key) => {
      const { value, get } = Reflect.getOwnPropertyDescriptor(prototype, key)!
      return [key, value ?? get] as unknown[]
    }),
  )

/**
 * Nodes that answer whatever they like. Only what is a right reply, by a judge of its own, is a vote.
 */
export const replies = (operations: Readonly<Record<string, Operation>>): void => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  beforeAll(() => void process.on('unhandledRejection', note))
  afterAll(() => void process.off('unhandledRejection', note))

  let total = 0
  let malformed = 0

  it.each(Object.entries(operations))(
    '%s ends as a quorum of right replies says, and in no other way',
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
      // A right reply is heard among the others, and they do count for nothing.
      expect(seen).toContain('yes')
      expect(seen).toContain('unknown')
      expect(inherited()).toSatisfy(
        (after: unknown[]) =>
          after.every((one, index) => one === before[index]) && after.length === before.length,
      )
    },
  )

  it('were that in so many cases as there should be, most answers no votes', () => {
    const least = perOperation * Object.keys(operations).length
    expect(total).toBeGreaterThanOrEqual(least)
    expect(malformed).toBeGreaterThan(least)
  })

  it('leave no rejection that nobody handles', async () => {
    // Node tells them after the microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })
}
