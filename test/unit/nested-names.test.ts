import { expect, it } from 'vitest'
import { withLock } from '../../src/entries/fetch.ts'
import { Redlock, withKeyNames } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

it('a nested lock does not reenter that of another key which `withKeyNames` names alike: tokens differ', async () => {
  const redlock = withKeyNames(new Redlock({ nodes: memoryNodes(3) }), () => 'one-name')
  const inner = withLock({ redlock, key: 'b' }, () => new Response('in'))
  const outer = withLock({ redlock, key: 'a' }, (request: Request) => inner(request))
  expect((await outer(new Request('https://example.com'))).status).toBe(409)
  const same = withLock({ redlock, key: 'a' }, () => new Response('in'))
  const around = withLock({ redlock, key: 'a' }, (request: Request) => same(request))
  expect((await around(new Request('https://example.com'))).status).toBe(200)
})
