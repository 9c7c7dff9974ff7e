import type { Hono } from 'hono'
import { Stripe } from 'stripe'
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

  const secret = 'whsec_test'
  /** A delivery of a paid session, signed as Stripe does. */
  const delivery = async (id: string, attempt: number, key = secret): Promise<RequestInit> => {
    const object = { id: 'cs_1', object: 'checkout.session' }
    const event = { id, object: 'event', type: 'checkout.session.completed', data: { object } }
    const payload = JSON.stringify({ ...event, pending_webhooks: attempt })
    const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: key })
    return { method: 'POST', body: payload, headers: { 'stripe-signature': signature } }
  }
  const appOf = async (markPaid: (session: string, event: string) => Promise<void>) => {
    const { default: app } = await importFrom<{ default: Hono }>(page, 'webhook.ts')
    const bindings = { REDLOCK_NODES: nodes, STRIPE_WEBHOOK_SECRET: secret, ORDERS: { markPaid } }
    return (request: RequestInit) => app.request('/webhook', request, bindings)
  }

  it('handles an event once that is delivered ten times simultaneously, and again later', async () => {
    const { promise: goOn, resolve: finish } = later()
    const handled: string[][] = []
    const send = await appOf(async (...paid) => {
      handled.push(paid)
      await goOn
    })
    const id = freshKey()
    const deliver = async (attempt: number): Promise<number> =>
      (await send(await delivery(id, attempt))).status
    const answers: number[] = []
    const deliveries = times(10, async (index) => answers.push(await deliver(index)))
    await vi.waitFor(() => expect(answers).toEqual(times(9, () => 409)), patience)
    finish()
    await Promise.all(deliveries)
    expect(answers.at(-1)).toBe(200)
    expect(await deliver(10)).toBe(200)
    expect(handled).toEqual([['cs_1', id]])
  })

  it('rejects a delivery that Stripe has not signed, or that was changed', async () => {
    const markPaid = vi.fn(async () => {})
    const send = await appOf(markPaid)
    const forged = await delivery(freshKey(), 1, 'whsec_other')
    const changed = { ...(await delivery(freshKey(), 1)), body: '{}' }
    const unsigned = { method: 'POST', body: '{}' }
    for (const request of [forged, changed, unsigned]) {
      expect((await send(request)).status).toBe(400)
    }
    expect(markPaid).not.toHaveBeenCalled()
  })
})
