import { describe, expect, it } from 'vitest'
import { usualPace } from '../../src/core/process/pace.ts'
import { randomFrom } from '../../tools/random.ts'
import { drawPace } from '../../verification/simulation/workload/draw-pace.ts'
import { startClient } from '../../verification/simulation/workload/simulated-client.ts'
import { calmScenario, violated } from './support.ts'

const draws = Array.from({ length: 3_000 }, (_, seed) => drawPace(randomFrom(seed)))
const others = draws.filter((pace) => pace !== usualPace)

describe('drawPace', () => {
  it('draws another pace for a third of the histories, the same for the same seed', () => {
    expect(others.length / draws.length).toBeCloseTo(1 / 3, 1)
    expect(draws.map((_, seed) => drawPace(randomFrom(seed)))).toEqual(draws)
  })

  it('draws each constant between half and double, as often above as below its value', () => {
    for (const [name, usual] of Object.entries(usualPace)) {
      const factors = others.map((pace) => pace[name as keyof typeof pace] / usual)
      expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.5)
      expect(Math.max(...factors)).toBeLessThanOrEqual(2)
      const above = factors.filter((factor) => factor > 1).length
      expect(above / factors.length).toBeCloseTo(1 / 2, 1)
    }
  })

  it('takes as many random numbers from the history for every pace', () => {
    for (let seed = 0; seed < 20; seed++) {
      const [history, same] = [randomFrom(seed), randomFrom(seed)]
      drawPace(history)
      for (let count = 0; count < 2; count++) same.unit()
      expect(history.unit()).toBe(same.unit())
    }
  })
})

describe('a history at another pace', () => {
  const [pace] = others

  it('gives it to its clients', () => {
    expect(startClient(calmScenario(pace), 'c1').redlock.client().pace).toEqual(pace)
    expect(startClient(calmScenario(), 'c1').redlock.client().pace).toEqual(usualPace)
  })

  it('counts its bursts and its times apart, and reports no bound of times', () => {
    const scenario = calmScenario(pace)
    const { recorder } = scenario
    recorder.burstEnded('a node hangs', true)
    recorder.burstEnded('calls that wait for a short time', true)
    recorder.measured('winner', 3)
    recorder.exceeded('latency', 'after 2 s')
    expect([...recorder.winners.keys()]).toEqual([
      'another pace',
      'calls that wait for a short time',
    ])
    expect([...recorder.samples]).toEqual([['another pace', [3]]])
    expect(recorder.coverage.get('latency at another pace')).toBe(1)
    expect(violated(scenario)).toEqual([])
    recorder.violated('exclusion', 'two holders')
    expect(violated(scenario)).toEqual(['exclusion'])
  })
})
