import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

it('counts the answers that have arrived while the process stood still', async () => {
  const redlock = new Redlock({ nodes: realNodes, nodeTimeout: 1_200 })
  await (await redlock.acquire(freshKey())).release()
  for (let call = 0; call < 3; call++) {
    const acquiring = redlock.acquire(freshKey(), { retry: { attempts: 1 } })
    // The connections are open, so the requests are sent by then.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    const begun = performance.now()
    while (performance.now() - begun < 1_600);
    const lock = await acquiring
    expect(await lock.release()).toBe('released')
  }
})
