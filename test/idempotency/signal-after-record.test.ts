import { expect, it } from 'vitest'
import { type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { sleep } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { eventually } from '../support/eventually.ts'
import { appWith } from '../idempotency/app.ts'

// An extension is under way when the handler ends, and its answers come after the record has been written.

it.each([
  ['reaches the nodes before the record', true],
  ['reaches the nodes after the record', false],
])('aborts no signal of a request that was recorded where an extension %s', async (_, isFirst) => {
  const nodes = memoryNodes(3)
  const events: string[] = []
  const onEvent = (event: LockEvent): void => void events.push(event.type)
  let extensions = 0
  const through = nodes.map((node) =>
    nodeThrough(node, async (call, send) => {
      if (call.operation !== 'e') return send()
      extensions++
      if (!isFirst) await sleep(300)
      const reply = await send()
      if (isFirst) await sleep(300)
      return reply
    }),
  )
  let signal: AbortSignal | undefined
  const { post } = appWith(
    new Redlock({ nodes: through, onEvent }),
    async (c) => {
      signal = c.var.lock!.signal
      await eventually(() => expect(extensions).toBeGreaterThan(0))
      return c.text('done', 201)
    },
    { ttl: 1_500 },
  )
  expect((await post('k')).status).toBe(201)
  await sleep(600)
  expect([events.includes('lost'), signal!.aborted]).toEqual([false, false])
})
