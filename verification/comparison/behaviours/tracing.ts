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
    const { spans, secret } = await session.trace!(key)
    const names = spans.map(({ name }) => name)
    const text = JSON.stringify(
      spans.map(({ name, attributes, events, status, links }) => {
        return { name, attributes, events, status, links }
      }),
    )
    if (text.includes(key)) return fails('a span contains the key')
    if (text.includes(secret)) return fails('a span contains the secret of the lock')
    return names.includes('lock.acquire') && names.includes('lock.hold')
      ? ok(names.join(', '))
      : fails(names.join(', ') || 'no spans')
  },
}
