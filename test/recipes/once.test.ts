import { Hono } from 'hono'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import worker from '../../examples/oauth-token/worker.ts'
import { refreshed } from '../../examples/oauth-token/tokens.ts'
import { forget } from '../../src/entries/idempotency.ts'
import { lockKey, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { serve } from '../../tools/servers/serve.ts'
import { type Fault, reject, withFault } from '../support/faults.ts'
import { freshKey, overRest } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { slowClock } from '../support/slow-clock.ts'
import { importFrom } from './page-modules.ts'

// The recipes with `once`, as their pages show them, over five real servers.

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
// The page waits for two seconds, in which a busy machine may not answer fifty requests: here they last ten.
const clock = slowClock(5)
const machine = (given: readonly RestNodeOptions[]): Redlock =>
  new Redlock({ nodes: given, ttl: 60_000, nodeTimeout: 10_000, advanced: { clock } })
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index))

describe('docs/recipes/cache-stampede.md', () => {
  type Cached = (redlock: Redlock, key: string, render: () => Promise<string>) => Promise<string>

  it('renders once for 50 requests on five machines, and goes on in an outage', async () => {
    const page = 'docs/recipes/cache-stampede.md'
    const { cached } = await importFrom<{ cached: Cached }>(page, 'cached.ts')
    const key = freshKey()
    let isDown = false
    const fault: Fault = (request, send) => (isDown ? reject(request, send) : send())
    const ways = nodes.map((node) => withFault(node, fault))
    const machines = times(5, () => machine(ways))
    const rendered = later()
    let renderings = 0
    const render = async (): Promise<string> => {
      await rendered.promise
      return `page ${++renderings}`
    }
    const pages = times(50, (index) => cached(machines[index % 5]!, key, render))
    rendered.resolve()
    expect(new Set(await Promise.all(pages))).toEqual(new Set(['page 1']))
    expect(renderings).toBe(1)
    // The content has changed.
    await forget(machines[1]!, lockKey('page', key))
    expect(await cached(machines[2]!, key, render)).toBe('page 2')
    isDown = true
    expect(await cached(new Redlock({ nodes: ways }), key, render)).toBe('page 3')
  })
})

describe('examples/oauth-token', () => {
  const [older, newer] = [1, 2].map((id) => {
    return { id, secret: btoa(String.fromCharCode(id).repeat(32)) }
  })

  /** A provider that takes each refresh token once, and calls `onExchange` before it answers. */
  const openProvider = async (onExchange = () => {}) => {
    const first = freshKey()
    let [valid, exchanges] = [first, 0]
    const app = new Hono().post('/', async (c) => {
      const { refresh_token: given } = await c.req.parseBody()
      if (given !== valid) return c.json({ error: 'invalid_grant' }, 400)
      valid = `${first}-${++exchanges}`
      onExchange()
      return c.json({ access_token: `access-${exchanges}`, refresh_token: valid })
    })
    const { port, close } = await serve(app.fetch)
    const url = `http://127.0.0.1:${port}/`
    return { url, first, exchanges: () => exchanges, [Symbol.asyncDispose]: () => close(0) }
  }

  it('exchanges a token once for twenty requests, also while its keys are rotated', async () => {
    await using provider = await openProvider()
    const session = async (old: string, keys: object[]) => {
      const secrets = { TOKEN_KEYS: JSON.stringify(keys), TOKEN_URL: provider.url, CLIENT_ID: 'a' }
      const init = { method: 'POST', headers: { cookie: `refresh=${old}` } }
      const response = await worker.request('/session', init, { REDLOCK_NODES: nodes, ...secrets })
      const [, refresh] = /refresh=([^;]*)/.exec(response.headers.get('set-cookie')!)!
      return { refresh, ...((await response.json()) as { access: string }) }
    }
    const burst = await Promise.all(times(20, () => session(provider.first, [older!, newer!])))
    expect(new Set(burst.map(({ access }) => access))).toEqual(new Set(['access-1']))
    expect(provider.exchanges()).toBe(1)
    // A late request of an instance that encrypts with the new key.
    const late = await session(provider.first, [newer!, older!])
    expect(late).toEqual(burst[0])
    expect((await session(late.refresh!, [newer!, older!])).access).toBe('access-2')
    expect(provider.exchanges()).toBe(2)
  })

  it('leaves no token on the nodes that can be read', async () => {
    await using provider = await openProvider()
    const prefix = freshKey()
    const given = { url: provider.url, clientId: 'a', keys: [newer!] }
    const { access_token } = await refreshed(new Redlock({ nodes, prefix }), given, provider.first)
    // A majority has the record, and the first node may not be among them yet.
    const texts = await Promise.all(
      overRest(nodes).map(async ({ command }) => {
        const names = (await command('KEYS', `${prefix}r:*`)) as string[]
        return Promise.all(names.map((name) => command('GET', name)))
      }),
    )
    const records = texts
      .flat()
      .map(String)
      .filter((text) => text.includes('"body"'))
    expect(records.length).toBeGreaterThan(2)
    for (const record of records) {
      const { body } = JSON.parse(/\{.*\}/.exec(record)![0]) as { body: string }
      expect(record + atob(body)).not.toMatch(access_token)
      expect(record + atob(body)).not.toMatch(provider.first)
    }
  })

  it('returns the new tokens though the nodes fail when the old one is spent', async () => {
    let isDown = false
    const fault: Fault = (request, send) => (isDown ? reject(request, send) : send())
    await using provider = await openProvider(() => (isDown = true))
    const given = nodes.map((node) => withFault(node, fault))
    const redlock = new Redlock({ nodes: given, ttl: 2_000, warnings: false })
    const options = { url: provider.url, clientId: 'a', keys: [newer!] }
    const tokens = await refreshed(redlock, options, provider.first)
    expect(tokens.access_token).toBe('access-1')
  })
})

describe('docs/recipes/cron.md', () => {
  const page = 'docs/recipes/cron.md'
  const hour = 3_600_000
  type Env = { REDLOCK_NODES: unknown; REPORTS: { fetch: () => Promise<Response> } }
  type Worker = { scheduled: (event: { scheduledTime: number }, env: Env) => Promise<unknown> }

  /** Fires one of the schedulers. The scheduled times are those of this test alone. */
  const startSchedulers = async (sendReports: () => Promise<Response>) => {
    const { default: worker } = await importFrom<{ default: Worker }>(page, 'scheduled.ts')
    const first = Math.floor(Math.random() * 1e6) * hour
    const env = { REDLOCK_NODES: nodes, REPORTS: { fetch: sendReports } }
    return (time: number) => worker.scheduled({ scheduledTime: first + time }, env)
  }

  it('runs a scheduled time in one of three schedulers, also with a late one', async () => {
    let runs = 0
    const fire = await startSchedulers(async () => Response.json(++runs))
    expect(await Promise.all(times(3, () => fire(0)))).toEqual([1, 1, 1])
    expect(await fire(0)).toBe(1)
    expect(await fire(hour)).toBe(2)
    expect(runs).toBe(2)
  })

  it('has a scheduler that waits do a job that failed in another one', async () => {
    let runs = 0
    const fire = await startSchedulers(async () => {
      if (++runs === 1) throw new Error('no network')
      return Response.json('done')
    })
    const fired = times(3, () => fire(0).catch(String))
    const results = await Promise.all(fired)
    expect(results.filter((result) => result === 'done')).toHaveLength(2)
    expect(results).toContain('Error: no network')
    expect(runs).toBe(2)
  })
})

describe('docs/guides/vercel.md', () => {
  it('orders once for ten submits of a form, and again for another user or form', async () => {
    type Order = { readonly number: string; readonly text: string }
    type OrderOnce = (
      userId: string,
      form: FormData,
      create: (text: string) => Promise<Order>,
    ) => Promise<object>
    const page = 'docs/guides/vercel.md'
    const { orderOnce } = await importFrom<{ orderOnce: OrderOnce }>(page, 'order.ts')
    vi.stubEnv('REDLOCK_NODES', inject('REDLOCK_NODES'))
    onTestFinished(() => void vi.unstubAllEnvs())
    let orders = 0
    const submit = (user: string, id: string): Promise<object> => {
      const form = new FormData()
      form.set('id', id)
      form.set('text', 'tea')
      return orderOnce(user, form, async (text) => ({ number: `${++orders}`, text }))
    }
    const id = crypto.randomUUID()
    const results = await Promise.all(times(10, () => submit('ada', id)))
    expect(results).toEqual(times(10, () => ({ order: { number: '1', text: 'tea' } })))
    expect(await submit('eve', id)).toEqual({ order: { number: '2', text: 'tea' } })
    await submit('ada', crypto.randomUUID())
    expect(orders).toBe(3)
    await expect(submit('ada', 'x')).rejects.toThrow('Unknown form')
  })
})
