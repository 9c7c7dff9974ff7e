import { expect, it } from 'vitest'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { inTurn, never, takeTurns, untilQueued } from './waiters.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'

// On Workers each call has a queue and a stream of its own, since no request may wait for another. So the order is
// not promised (docs/understand/how-it-works.md): the first message leaves its node before the other nodes are free.

const nodes = realNodes.slice(0, 3)

it('wakes waiters one after the other on workerd', async () => {
  const client = (): Redlock => withWakeUp(new Redlock({ nodes, retry: never }))
  const steps = await takeTurns(client, (key, count) => untilQueued(nodes, key, count))
  expect(steps).toEqual(inTurn)
})
