import { expect, it } from 'vitest'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { isStream, longTtl, over, untilQueued } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

const nodes = realNodes.slice(0, 3)

/** The requests of one call that waits in vain. */
const requestsOf = async (wrap: (redlock: Redlock) => Redlock): Promise<number> => {
  let requests = 0
  const headers = { 'content-type': 'text/event-stream' }
  const counted = over(nodes, async (sent, send) => {
    requests++
    return isStream(sent) ? new Response(new ReadableStream(), { headers }) : send()
  })
  const key = freshKey()
  const held = await new Redlock({ nodes }).acquire(key, { ttl: longTtl })
  const retry = { delay: 100, maxDelay: 101, attempts: 21 }
  const call = wrap(new Redlock({ nodes: counted, retry })).acquire(key, { wait: 30_000 })
  await expect(call).rejects.toMatchObject({ name: 'LockedError' })
  await held.release()
  return requests
}

it('sends about as many requests as without it where the stream is silent', async () => {
  const [usual, waking] = await Promise.all([
    requestsOf((redlock) => redlock),
    requestsOf(withWakeUp),
  ])
  // The stream is one more request, and on a busy machine some more tries ask all nodes. If each try did,
  // there would be twice as many.
  expect(waking).toBeLessThan(1.5 * usual)
})

it('goes on as without it once a stream that has worked is silent', async () => {
  const key = freshKey()
  const held = await new Redlock({ nodes }).acquire(key, { ttl: longTtl })
  let isSilent = false
  let tries = 0
  const [first] = nodes.toSorted((a, b) => (a.url < b.url ? -1 : 1))
  const muted = over(nodes, async (sent, send) => {
    const { body } = sent.init ?? {}
    const isWaiting = typeof body === 'string' && body.includes('lock:q:')
    // The node of the stream hangs: its stream stays open, and says nothing more.
    if (isSilent && isWaiting) return new Promise(() => {})
    if (isSilent && sent.url === first!.url) tries++
    return send()
  })
  const retry = { delay: 20, maxDelay: 21 }
  const ending = new AbortController()
  const options = { wait: 60_000, signal: ending.signal }
  const call = withWakeUp(new Redlock({ nodes: muted, retry })).acquire(key, options)
  call.catch(() => {})
  await untilQueued(nodes, key, 1)
  // Only a message shows that the stream works, and then the call stops polling for 2 s.
  isSilent = true
  // With a stream that counts as live these are 40 s.
  await eventually(() => expect(tries).toBeGreaterThan(20))
  ending.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  await held.release()
})
