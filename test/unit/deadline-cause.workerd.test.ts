import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

it('workerd: the TimeoutError of a deadline has a LockedError as its cause', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3), warnings: false })
  await redlock.acquire('k', { ttl: 60_000, metadata: 'of Ann' })
  const signal = AbortSignal.timeout(200)
  const call = redlock.acquire('k', { signal, retry: { attempts: Infinity } })
  const error = await call.catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    name: 'TimeoutError',
    cause: { isLockedError: true, metadata: 'of Ann' },
  })
})
