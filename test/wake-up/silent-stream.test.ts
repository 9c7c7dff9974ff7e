import { expect, inject, it } from 'vitest'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { withWakeUp } from '../../src/wake-up/index.ts'
import { freshKey } from '../support/nodes.ts'
import { isStream, longTtl, over } from './waiters.ts'

const nodes = (JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]).slice(0, 3)

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
  const retry = { minDelay: 100, maxDelay: 101, attempts: 21 }
  const call = wrap(new Redlock({ nodes: counted, retry })).acquire(key, { wait: 30_000 })
  await expect(call).rejects.toMatchObject({ name: 'LockedError' })
  await held.release()
  return requests
}

it('sends about as many requests as without it where the stream is silent', async () => {
  const usual = await requestsOf((redlock) => redlock)
  // The stream is one more request, and on a busy machine some more tries ask all nodes. If each try did,
  // there would be twice as many.
  expect(await requestsOf(withWakeUp)).toBeLessThan(1.5 * usual)
})
