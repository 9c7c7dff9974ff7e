import { describe, expect, it } from 'vitest'
import {
  Redlock,
  type SlotRedlock,
  throttle,
  withSlots,
  withTracing,
  withWakeUp,
} from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { endedSpans, tracer } from './telemetry.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

const wraps = {
  tracing: (redlock: Redlock): Redlock => withTracing(redlock, { tracer }),
  slots: withSlots,
  'wake-up': withWakeUp,
}
type Name = keyof typeof wraps

const namesOf = (): string[] => endedSpans().map((span) => span.name)

describe('withTracing, withSlots and withWakeUp in any order', () => {
  it.each<[Name[]]>([
    [['tracing', 'slots', 'wake-up']],
    [['tracing', 'wake-up', 'slots']],
    [['slots', 'tracing', 'wake-up']],
    [['slots', 'wake-up', 'tracing']],
    [['wake-up', 'tracing', 'slots']],
    [['wake-up', 'slots', 'tracing']],
    [['tracing', 'tracing', 'slots']],
  ])('%j: each call has one span', async (names) => {
    const plain = new Redlock({ nodes })
    const redlock = names.reduceRight<Redlock>(
      (inner, name) => wraps[name](inner),
      plain,
    ) as SlotRedlock
    for (const options of [{}, { limit: 2 }]) {
      const key = freshKey()
      endedSpans()
      const lock = await redlock.acquire(key, { ...options, wait: 5_000 })
      expect(namesOf()).toEqual(['lock.acquire'])
      await lock.release()
      expect(namesOf()).toEqual(['lock.hold'])
      const pass = await throttle(redlock, key, { ...options, window: 10_000, wait: 100 })
      expect(pass.ok).toBe(true)
      expect(namesOf()).toEqual(['lock.throttle'])
    }
  })

  it.each<[Name[]]>([[['slots', 'tracing']], [['tracing', 'slots']]])(
    '%j: a throttle that waits has one span, however often it asks',
    async (names) => {
      const types: string[] = []
      const plain = new Redlock({ nodes, onEvent: ({ type }) => void types.push(type) })
      const redlock = names.reduceRight((inner, name) => wraps[name](inner), plain)
      const [key, options] = [freshKey(), { limit: 1, window: 1_000, wait: 20_000 }]
      // A call that comes later than a window after the last one does not wait.
      await eventually(async () => {
        endedSpans()
        expect((await throttle(redlock, key, options)).ok).toBe(true)
        expect(namesOf()).toEqual(['lock.throttle'])
        expect(types).toContain('waiting')
      })
    },
  )
})
