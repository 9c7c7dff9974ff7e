import { expect, it } from 'vitest'
import { inspect, quarantine, Redlock, withWakeUp } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'
import { counting, firstOf, longTtl, never } from './waiters.ts'

const nodes = realNodes
  .slice(0, 3)
  .map(({ url, token }) => ({ url, token, volatile: quarantine() }))

it('wakes a waiter where the nodes are volatile', async () => {
  const prefix = `${freshKey()}:`
  const { counts, nodes: counted } = counting(nodes)
  const client = (): Redlock =>
    withWakeUp(new Redlock({ nodes: counted, prefix, maxTtl: longTtl, retry: never }))
  expect(await inspect(client(), 'key')).toMatchObject({ state: 'unavailable' })
  // The quarantine is backdated, so that it is over.
  for (const node of nodes) {
    await eventually(async () =>
      expect(await command(node, 'GET', `${prefix}run`)).toMatch(/^run_id:\w+ \d+/),
    )
    const note = (await command(node, 'GET', `${prefix}run`)) as string
    await command(node, 'SET', `${prefix}run`, `${note.split(' ')[0]} 1`)
  }
  const held = await client().acquire('key', { ttl: longTtl })
  const waiting = client().acquire('key', { wait: 50_000 })
  await eventually(async () =>
    expect(await command(firstOf(nodes), 'ZCARD', `${prefix}q:${prefix}l:key`)).toBe(1),
  )
  await held.release()
  // Without a message it would ask again after a minute.
  const lock = await waiting
  expect(lock.held).toBe(true)
  await lock.release()
  expect(counts.opened).toBe(1)
})
