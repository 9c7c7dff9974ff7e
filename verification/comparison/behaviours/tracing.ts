import { fails, ok } from '../observation.ts'
import type { Behaviour } from './behaviour.ts'

/** The library describes a lock as spans, beside those of its requests. */
export const spans: Behaviour = {
  id: 'spans',
  title: 'The acquisition and the hold of a lock are spans of OpenTelemetry, without secrets',
  test: 'One acquire and one release, with the SDK of OpenTelemetry. Spans of single commands, as instrumentations of ioredis and fetch make them for every library, do not count.',
  known: 'reading of the other libraries: they report by events or logs, if at all.',
  needs: ['spans'],
  run: async ({ open, key }) => {
    const session = await open()
    const ended = await session.trace!(key)
    const names = ended.map(({ name }) => name)
    const text = JSON.stringify(
      ended.map(({ name, attributes, events }) => [name, attributes, events]),
    )
    if (text.includes(key)) return fails('a span contains the key')
    return names.includes('lock.acquire') && names.includes('lock.hold')
      ? ok(names.join(', '))
      : fails(names.join(', ') || 'no spans')
  },
}
