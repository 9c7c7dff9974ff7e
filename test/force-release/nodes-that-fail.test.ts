import { expect, it } from 'vitest'
import { forceRelease, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

it.each([false, true])(
  'a holder does not come back by nodes that failed meanwhile, another %s',
  async (isUsed) => {
    const nodes = memoryNodes(3)
    const [one, other] = [new Redlock({ nodes }), new Redlock({ nodes })]
    const lock = await one.acquire('k', { ttl: 60_000 })
    nodes[2]!.fail()
    expect(await forceRelease(other, 'k', { id: lock.id })).toMatchObject({ state: 'released' })
    if (isUsed) await (await other.acquire('k')).release()
    nodes[2]!.recover()
    nodes[1]!.fail()
    // One node has the lock, one has forgotten it, and one fails.
    for (let turn = 0; turn < 3; turn++) {
      await expect(lock.extend()).rejects.toThrow('the lock on')
      await settled()
    }
    nodes[1]!.recover()
    await expect(lock.extend()).rejects.toThrow('Lost the lock')
  },
)
