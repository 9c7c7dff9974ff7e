import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { lock } from '../../src/entries/hono.ts'
import { Redlock } from '../../src/index.ts'
import { during, hang, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as all } from '../support/real-nodes.ts'

// A complete response is sent after the release. Here one node never learns of the release, while a crowd
// waits for the lock.

const names = all.map(({ url }) => url).sort()

describe('a crowd beside a node that no release reaches', () => {
  for (const rank of [0, 2, 4]) {
    it(`all get the lock one after the other, with the node of rank ${rank}`, async () => {
      const nodes = all.map((node) =>
        node.url === names[rank] ? withFault(node, during('r', hang)) : node,
      )
      const key = freshKey()
      let inside = 0
      let most = 0
      const app = new Hono()
      // A client for each request, as in isolates of their own.
      const redlock = (): Redlock => new Redlock({ nodes, localQueue: false, warnings: false })
      app.get('/', lock({ redlock, key, wait: 30_000, ttl: 60_000 }), async (c) => {
        most = Math.max(most, ++inside)
        await new Promise((resolve) => setTimeout(resolve, 5))
        inside--
        return c.text('done')
      })
      const answers = await Promise.all(Array.from({ length: 5 }, async () => app.request('/')))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      expect(most).toBe(1)
    }, 40_000)
  }
})
