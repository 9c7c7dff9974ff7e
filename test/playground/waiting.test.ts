import { describe, expect, it } from 'vitest'
import { narrate } from '../../docs/playground/story/narrate.ts'
import { countsAt } from '../../docs/playground/view/counts.ts'
import { drawMessages } from '../../docs/playground/view/drawing.ts'
import { makeTimeScale } from '../../docs/playground/view/time-scale.ts'
import { lanesOf } from '../../docs/playground/view/lanes.ts'
import type { NodeFault } from '../../docs/playground/world/actions.ts'
import type { Recording } from '../../docs/playground/world/recording.ts'
import { runScenario } from './recordings.ts'

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)
const textsOf = (recording: Recording): string[] => narrate(recording).map(({ text }) => text)

describe('waiting', () => {
  it('the log says when a client begins to wait, and each time it asks again', async () => {
    const texts = textsOf(await runScenario('waiting'))
    expect(texts).toContain(
      'Client 2 sees that client 1 holds the majority. It waits for up to 3 s. It asks again and again, after random pauses.',
    )
    expect(texts.some((text) => text.startsWith('Client 2 tries again'))).toBe(true)
  })

  it('a message wakes each waiter, so that it asks less often and gets the lock sooner', async () => {
    let [asked, polled, woken, late] = [0, 0, 0, 0]
    for (const seed of seeds) {
      const wake = await runScenario('wake-up', { seed })
      const poll = await runScenario('wake-up', { seed, waiting: 'poll' })
      expect({ seed, ...countsAt(wake, Infinity) }).toMatchObject({ winners: 3, wakes: 2 })
      expect(countsAt(poll, Infinity)).toMatchObject({ winners: 3, wakes: 0 })
      asked += countsAt(wake, Infinity).requests
      polled += countsAt(poll, Infinity).requests
      woken += wake.holds.at(-1)!.from
      late += poll.holds.at(-1)!.from
    }
    expect(asked).toBeLessThan(polled)
    expect(woken).toBeLessThan(late)
  })

  it('the message is drawn from the node to the client that it wakes', async () => {
    const recording = await runScenario('wake-up')
    const scale = makeTimeScale(recording)
    const lanes = lanesOf(recording.clients, 1)
    const drawn = drawMessages({ recording, scale, lanes, perMs: 2 })
    const wakes = drawn.filter(({ tone }) => tone === 'wake')
    expect(wakes.map(({ client }) => client)).toEqual([1, 2])
    for (const { client, there, dot, back, end } of wakes) {
      expect(there).toBeUndefined()
      expect(dot?.cy).toBe(lanes.nodes[0]!.y)
      expect(back).toMatchObject({ y1: lanes.nodes[0]!.y, y2: lanes.clients[client]!.y })
      expect(end?.cy).toBe(lanes.clients[client]!.y)
    }
    expect(textsOf(recording)).toContain('The message wakes client 2, which tries at once.')
  })

  const faults: readonly NodeFault[] = ['kill', 'hang', 'restart']
  it.each(faults)('without node 1 the clients poll, and each gets the lock: %s', async (kind) => {
    for (const at of [0, 60, 110, 400, 1_050]) {
      const recording = await runScenario('wake-up', { actions: [{ at, kind, node: 0 }] })
      expect({ at, ...countsAt(recording, Infinity) }).toMatchObject({ winners: 3, atOnce: 1 })
    }
  })

  it('a waiter that is paused when it is woken does not keep the others from the lock', async () => {
    const pause = { at: 1_050, kind: 'pause', client: 1, time: 1_500 } as const
    const recording = await runScenario('wake-up', { actions: [pause] })
    expect(countsAt(recording, Infinity)).toMatchObject({ winners: 3, atOnce: 1 })
  })
})
