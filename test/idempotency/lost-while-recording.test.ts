import { expect, it } from 'vitest'
import { type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { sleep } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { appWith } from '../idempotency/app.ts'

// The claim of a request whose record takes a while, and is written in the end. Nobody else wants it.

it('reports no claim as lost whose record is written', async () => {
  const nodes = memoryNodes(3)
  const ttl = 2_000
  let isFull = true
  const events: string[] = []
  const onEvent = (event: LockEvent): void => void events.push(event.type)
  const through = nodes.map((node) =>
    nodeThrough(node, (call, send) =>
      call.operation === 'c' && isFull
        ? Promise.reject(new Error('OOM command not allowed'))
        : send(),
    ),
  )
  let signal: AbortSignal | undefined
  const { post } = appWith(
    new Redlock({ nodes: through, onEvent }),
    async (c) => {
      signal = c.var.lock!.signal
      await sleep(ttl * 0.3)
      setTimeout(() => (isFull = false), ttl * 0.8)
      return c.text('done', 201)
    },
    { ttl },
  )
  const { status } = await post('k')
  expect(status).toBe(201)
  const shown = events.filter((type) => type !== 'node-error')
  expect(shown).not.toContain('lost')
  expect(signal!.aborted).toBe(false)
})
