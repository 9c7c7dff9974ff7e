import { expect, it } from 'vitest'
import { scenarios } from '../../docs/playground/scenarios/all.ts'
import { narrate } from '../../docs/playground/story/narrate.ts'
import { countsAt } from '../../docs/playground/view/counts.ts'
import { slotsOf } from '../../docs/playground/world/settings.ts'
import { runScenario, winnerOf } from './recordings.ts'

// The scenarios of the playground over many seeds: what their texts promise is true of each.

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

/** By scenario: how many get the lock, are refused, and write in vain. */
const promised: Readonly<
  Record<string, { winners: number; refused: number; staleWrites: number }>
> = {
  'double-click': { winners: 1, refused: 1, staleWrites: 0 },
  'one-answer': { winners: 1, refused: 0, staleWrites: 0 },
  crowd: { winners: 1, refused: 9, staleWrites: 0 },
  'hanging-node': { winners: 1, refused: 1, staleWrites: 0 },
  'node-down': { winners: 1, refused: 1, staleWrites: 0 },
  'split-vote': { winners: 1, refused: 2, staleWrites: 0 },
  waiting: { winners: 3, refused: 0, staleWrites: 0 },
  'wake-up': { winners: 3, refused: 0, staleWrites: 0 },
  slots: { winners: 6, refused: 0, staleWrites: 0 },
  'paused-holder': { winners: 2, refused: 0, staleWrites: 1 },
}

it.each(scenarios)(
  '$id: the same outcome with every seed, and as many holders at once as its limit',
  async ({ id, settings }) => {
    for (const seed of seeds) {
      const counts = countsAt(await runScenario(id, { seed }), Infinity)
      expect({ seed, ...counts }).toMatchObject({
        ...promised[id],
        atOnce: slotsOf(settings),
        unavailable: 0,
      })
    }
  },
)

it('a crowd of idempotent requests has one effect and one answer, also with two nodes down', async () => {
  const actions = [0, 3].map((node) => ({ at: 0, kind: 'kill', node }) as const)
  for (const seed of seeds) {
    for (const faults of [[], actions]) {
      const recording = await runScenario('one-answer', { seed, clients: 5, actions: faults })
      const counts = countsAt(recording, Infinity)
      expect({ seed, ...counts }).toMatchObject({ writes: 1, answered: 5, answers: 1 })
      const texts = narrate(recording).map(({ text }) => text)
      expect(texts.filter((text) => text.includes('and gets the same one'))).toHaveLength(4)
    }
  }
})

it('a request that comes later, or after a restart of one node, gets the recorded answer', async () => {
  const later = [
    { at: 1_500, kind: 'restart', node: 1 },
    { at: 9_000, kind: 'click' },
  ] as const
  for (const seed of seeds) {
    const counts = countsAt(await runScenario('one-answer', { seed, actions: later }), Infinity)
    expect({ seed, ...counts }).toMatchObject({ writes: 1, answered: 3, answers: 1 })
  }
})

it('a node that hangs changes the requests, and not the winner', async () => {
  for (const seed of seeds) {
    const calm = await runScenario('double-click', { seed })
    const sick = await runScenario('hanging-node', { seed })
    expect(winnerOf(sick)).toBe(winnerOf(calm))
    expect(sick.messages).not.toEqual(calm.messages)
  }
})

it('with two of five nodes down there is a winner, and with three nobody gets the lock', async () => {
  const down = (count: number) =>
    Array.from({ length: count }, (_, node) => ({ at: 0, kind: 'kill', node }) as const)
  for (const seed of seeds) {
    const two = countsAt(await runScenario('crowd', { seed, actions: down(2) }), Infinity)
    expect({ seed, ...two }).toMatchObject({ winners: 1, refused: 9, unavailable: 0 })
    const three = countsAt(await runScenario('crowd', { seed, actions: down(3) }), Infinity)
    expect({ seed, ...three }).toMatchObject({ winners: 0, refused: 0, unavailable: 10 })
  }
})

it('a node that restarts empty abstains, so that nobody gets a lock that it has forgotten', async () => {
  const restarts = [0, 1, 2].map((node) => ({ at: 300, kind: 'restart', node }) as const)
  const actions = [...restarts, { at: 400, kind: 'click' } as const]
  for (const seed of seeds) {
    const recording = await runScenario('double-click', { seed, actions })
    expect(countsAt(recording, Infinity)).toMatchObject({ winners: 1, atOnce: 1, unavailable: 1 })
  }
})

it('a holder that is paused before its check does not write', async () => {
  const pause = { at: 60, kind: 'pause', client: 0, time: 6_000 } as const
  const recording = await runScenario('double-click', { clients: 1, actions: [pause] })
  expect(countsAt(recording, Infinity)).toMatchObject({ winners: 1, writes: 0, staleWrites: 0 })
  const texts = narrate(recording).map(({ text }) => text)
  expect(texts).toContain('Client 1 checks its lock, which has expired, and does not write.')
})

it('the split vote is one: somebody leads', async () => {
  const recording = await runScenario('split-vote')
  expect(narrate(recording).some(({ text }) => text.includes('so it leads'))).toBe(true)
})
