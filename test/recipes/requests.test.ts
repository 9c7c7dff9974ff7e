import type { Hono } from 'hono'
import { describe, expect, inject, it, vi } from 'vitest'
import { type RestNodeOptions } from '../../src/index.ts'
import { hang, refuse, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { importFrom } from './page-modules.ts'

// The recipes for requests, as their pages show them, over five real servers.

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
// The time for anything to happen on a busy machine, in ms.
const patience = 20_000
const sorted = (statuses: readonly number[]): number[] => statuses.toSorted((a, b) => a - b)
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index))

describe('docs/recipes/submit-once.md', () => {
  const setUp = async (): Promise<
    (user: string, text: string, given: RestNodeOptions[]) => Promise<number>
  > => {
    const page = 'docs/recipes/submit-once.md'
    const { default: app } = await importFrom<{ default: Hono }>(page, 'worker.ts')
    const id = freshKey()
    return async (user, text, REDLOCK_NODES) => {
      const init = { method: 'POST', headers: { 'x-user': user }, body: JSON.stringify({ text }) }
      return (await app.request(`/assignments/${id}/submit`, init, { REDLOCK_NODES })).status
    }
  }

  it('accepts one of ten clicks at once, with all servers and with two that are sick', async () => {
    const click = await setUp()
    const refused = times(9, () => 429)
    const statuses = await Promise.all(times(10, () => click('ada', 'essay', nodes)))
    expect(sorted(statuses)).toEqual([202, ...refused])
    const sick = nodes.map((node, index) =>
      index > 1 ? node : withFault(node, index === 0 ? hang : refuse),
    )
    const withSick = await Promise.all(times(10, () => click('eve', 'essay', sick)))
    expect(sorted(withSick)).toEqual([202, ...refused])
  })

  it('lets a user correct a submission that failed', async () => {
    const click = await setUp()
    expect(await click('ada', '', nodes)).toBe(422)
    // The window is freed in the background.
    await vi.waitFor(async () => expect(await click('ada', 'essay', nodes)).toBe(202), patience)
    expect(await click('ada', 'essay', nodes)).toBe(429)
  })
})

describe('docs/recipes/webhook.md', () => {
  const page = 'docs/recipes/webhook.md'

  it('handles an event once that is delivered ten times at once, and again later', async () => {
    const { default: app } = await importFrom<{ default: Hono }>(page, 'webhook.ts')
    const { promise: goOn, resolve: finish } = later()
    let handled = 0
    const markPaid = async (): Promise<void> => {
      handled++
      await goOn
    }
    const id = freshKey()
    const deliver = async (attempt: number): Promise<number> => {
      const body = JSON.stringify({ id, amount: 5, attempt })
      const bindings = { REDLOCK_NODES: nodes, ORDERS: { markPaid } }
      return (await app.request('/webhook', { method: 'POST', body }, bindings)).status
    }
    const answers: number[] = []
    const deliveries = times(10, async (index) => answers.push(await deliver(index)))
    await vi.waitFor(() => expect(answers).toEqual(times(9, () => 409)), patience)
    finish()
    await Promise.all(deliveries)
    expect(answers.at(-1)).toBe(200)
    expect(await deliver(10)).toBe(200)
    expect(handled).toBe(1)
  })
})

describe('docs/recipes/streaming.md', () => {
  it('opens two streams per user, and frees a slot when a body ends or its client has gone', async () => {
    const page = 'docs/recipes/streaming.md'
    const { default: app } = await importFrom<{ default: Hono }>(page, 'worker.ts')
    const user = freshKey()
    const source = later()
    const lines = async function* (): AsyncGenerator<string> {
      yield 'first'
      await source.promise
      yield 'last'
    }
    const get = async (id = user): Promise<Response> => {
      const init = { headers: { 'x-user': id } }
      return app.request('/answers/7', init, { REDLOCK_NODES: nodes, lines })
    }
    const burst = await Promise.all(times(6, () => get()))
    expect(sorted(burst.map(({ status }) => status))).toEqual([200, 200, 409, 409, 409, 409])
    const [one, two] = burst.filter(({ ok }) => ok)
    const other = await get(freshKey())
    expect(other.status).toBe(200)
    await other.body!.cancel()

    const next = async (): Promise<Response> => {
      let response = await get()
      await vi.waitFor(async () => {
        if (!response.ok) response = await get()
        expect(response.status).toBe(200)
      }, patience)
      return response
    }
    await one!.body!.cancel()
    const third = await next()
    expect((await get()).status).toBe(409)
    source.resolve()
    expect(await two!.text()).toBe('first\nlast\n')
    expect(await third.text()).toBe('first\nlast\n')
    const free = await Promise.all([next(), next()])
    await Promise.all(free.map((response) => response.body!.cancel()))
  })
})
