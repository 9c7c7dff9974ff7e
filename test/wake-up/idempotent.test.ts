import { expect, it } from 'vitest'
import { type LockEvent, Redlock, withWakeUp } from '../../src/index.ts'
import { appWith } from '../idempotency/app.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { counting, never } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

// docs/features/slots.md: requests that wait for an answer poll.

const nodes = realNodes.slice(0, 3)

it('does not wake a request that waits for the answer of another client, which polls', async () => {
  const key = freshKey()
  const { promise: answering, resolve: answer } = later()
  const first = appWith(withWakeUp(new Redlock({ nodes })), async (c) => {
    await answering
    return c.text('done', 201)
  })
  const running = first.post(key)
  await eventually(() => expect(first.runs()).toBe(1))

  const { counts, nodes: counted } = counting(nodes)
  const retry = { delay: 20, maxDelay: 21 }
  const waiting = appWith(withWakeUp(new Redlock({ nodes: counted, retry })), (c) => c.text('b'), {
    wait: 30_000,
  })
  const repeated = waiting.post(key)
  // Enough tries for a waiter to open a stream before one of them.
  await eventually(() => expect(counts.requests).toBeGreaterThan(20))
  answer()
  expect((await running).status).toBe(201)
  expect(await (await repeated).text()).toBe('done')
  expect(waiting.runs()).toBe(0)
  expect(counts.opened).toBe(0)
})

it('leaves it to one `Redlock` to wake its own requests', async () => {
  const key = freshKey()
  const { promise: answering, resolve: answer } = later()
  const types: string[] = []
  const onEvent = ({ type }: LockEvent): void => void types.push(type)
  const app = appWith(
    withWakeUp(new Redlock({ nodes, retry: never, onEvent })),
    async (c) => {
      await answering
      return c.text('done', 201)
    },
    { wait: 50_000 },
  )
  const running = app.post(key)
  await eventually(() => expect(app.runs()).toBe(1))
  const repeated = app.post(key)
  await eventually(() => expect(types).toContain('waiting'))
  const begun = performance.now()
  answer()
  expect((await running).status).toBe(201)
  expect(await (await repeated).text()).toBe('done')
  expect(performance.now() - begun).toBeLessThan(20_000)
  expect(app.runs()).toBe(1)
})
