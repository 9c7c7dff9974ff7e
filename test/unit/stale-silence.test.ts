import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { freshKey } from '../support/nodes.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { hangUntilAborted } from '../../tools/faults.ts'

it(
  'asks a node that was silent once, where another one does not answer now',
  { timeout: 20_000 },
  async () => {
    const [one, two, three] = memoryNodes(3)
    for (const node of [one!, two!, three!]) node.delay(2)
    let swallows = true
    const silent = nodeThrough(one!, (call, send) => (swallows ? hangUntilAborted(call) : send()))
    const nodes = [silent, two!, three!]
    const redlock = new Redlock({ nodes, nodeTimeout: 300, warnings: false })
    const burst = (key = freshKey()) =>
      Promise.all(Array.from({ length: 20 }, () => redlock.tryAcquire(key)))
    await burst()
    await new Promise((resolve) => setTimeout(resolve, 2500))
    swallows = false
    three!.hang()
    const results = await burst()
    expect(results.filter((result) => !result.ok && result.reason === 'unavailable')).toEqual([])
  },
)
