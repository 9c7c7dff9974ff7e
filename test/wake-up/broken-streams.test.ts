import { expect, it } from 'vitest'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { isStream, longTtl, over } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

// Servers that do not stream, or whose streams are of no use.

const nodes = realNodes.slice(0, 3)

const streamOf = (body: BodyInit): Response =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } })

it.each<[string, () => Promise<Response>]>([
  ['rejects', () => Promise.resolve(new Response('no', { status: 404 }))],
  ['rejects', () => Promise.reject(new TypeError('fetch failed'))],
  ['hangs', () => new Promise(() => {})],
  ['is silent', () => Promise.resolve(streamOf(new ReadableStream()))],
  [
    'confirms, and is silent then',
    () => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('data: subscribe,channel,1\n\n'))
        },
      })
      return Promise.resolve(streamOf(body))
    },
  ],
  ['ends at once', () => Promise.resolve(streamOf(''))],
  ['is no stream', () => Promise.resolve(Response.json({ result: 'OK' }))],
])('waits as without it where the server %s', async (_, answer) => {
  const key = freshKey()
  const held = await new Redlock({ nodes }).acquire(key, { ttl: longTtl })
  let [streams, attempts] = [0, 0]
  const broken = over(nodes, (sent, send) => {
    if (!isStream(sent)) return send()
    streams++
    return answer()
  })
  const retry = (): number => {
    attempts++
    return 30
  }
  const redlock = withWakeUp(new Redlock({ nodes: broken, retry }))
  const waiting = redlock.acquire(key, { wait: 50_000 })
  await eventually(() => expect(attempts).toBeGreaterThan(3))
  expect(streams).toBe(1)
  await held.release()
  expect(await (await waiting).release()).toBe('released')
})
