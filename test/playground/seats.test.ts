import { describe, expect, it } from 'vitest'
import { narrate } from '../../docs/playground/story/narrate.ts'
import { countsAt } from '../../docs/playground/view/counts.ts'
import { seatsAt } from '../../docs/playground/view/seats.ts'
import { runScenario } from './recordings.ts'

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

describe('seats', () => {
  it('three clients have one each, the house is full, and a seat that comes free is taken', async () => {
    for (const seed of seeds) {
      const recording = await runScenario('slots', { seed })
      const last = recording.holds[2]!.from
      const full = seatsAt(recording, last)
      expect(full.seats.map(({ state }) => state)).toEqual(['taken', 'taken', 'taken'])
      expect(new Set(full.seats.map(({ client }) => client)).size).toBe(3)
      const end = seatsAt(recording, recording.end)
      expect(end.seats.map(({ state }) => state)).toEqual(['free', 'free', 'free'])
      expect(end.waiting).toEqual([])
      expect(recording.holds).toHaveLength(6)
    }
  })

  it('each seat has one holder with two of five nodes sick, also in a burst', async () => {
    for (const seed of seeds) {
      for (const kind of ['hang', 'kill'] as const) {
        const actions = [0, 3].map((node) => ({ at: 0, kind, node }))
        const recording = await runScenario('slots', { seed, gap: 0, actions })
        const { holds } = recording
        expect(countsAt(recording, Infinity).atOnce).toBeLessThanOrEqual(3)
        for (const { slot, from, to, client } of holds) {
          const others = holds.filter((one) => one.slot === slot && one.client !== client)
          expect(others.filter((one) => one.from < to && one.to > from)).toEqual([])
        }
      }
    }
  })

  it('a client that does not wait is refused by a full house', async () => {
    const recording = await runScenario('slots', { wait: 0 })
    expect(countsAt(recording, Infinity)).toMatchObject({ winners: 3, refused: 3, atOnce: 3 })
    const full = narrate(recording).filter(({ text }) => text.includes('The house is full'))
    expect(full).toHaveLength(3)
  })
})
