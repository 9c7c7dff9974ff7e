import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { importFrom } from '../recipes/page-modules.ts'
import { realNodes } from '../support/real-nodes.ts'

const page = 'docs/guides/node.md'

it('a service over TCP shares locks with clients over REST', async () => {
  const nodes = realNodes.slice(0, 3)
  const ports = inject('REDIS_PORTS')
  for (const [index, name] of ['A', 'B', 'C'].entries()) {
    vi.stubEnv(`REDIS_${name}`, `redis://127.0.0.1:${ports[index]}`)
    vi.stubEnv(`URL_${name}`, nodes[index]!.url)
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  const { redlock: service } = await importFrom<{ redlock: Redlock }>(page, 'locks.ts')
  const worker = new Redlock({ nodes })
  const key = freshKey()
  const lock = await service.acquire(key)
  expect(await worker.tryAcquire(key)).toMatchObject({
    ok: false,
    reason: 'locked',
  })
  expect(await lock.release()).toBe('released')
  await (await worker.acquire(key)).release()
})
