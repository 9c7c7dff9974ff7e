import type { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { importFrom } from './page-modules.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

// The recipes for requests, as their pages show them, over five real servers.

// The time for anything to happen on a busy machine, in ms.
const patience = 20_000
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index))

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
