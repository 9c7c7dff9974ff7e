import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Hono } from 'hono'
import { describe, expect, inject, it, vi } from 'vitest'
import { lockKey, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { type Fault, hang, refuse, withFault } from '../support/faults.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { importFrom } from './page-modules.ts'

// The recipes for requests, as their pages show them, over five real servers.

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
const servers = overRest(nodes)
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
  /** The part of D1 that the page uses, on SQLite. */
  type Statement = {
    readonly bind: (...values: SQLInputValue[]) => Statement
    readonly first: () => Promise<unknown>
    readonly run: () => void
  }
  const openDatabase = (): { DB: object; balance: () => unknown } => {
    const db = new DatabaseSync(':memory:')
    db.exec('CREATE TABLE events (id TEXT PRIMARY KEY)')
    db.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, balance INTEGER)')
    db.exec("INSERT INTO accounts VALUES ('ada', 0)")
    const prepare = (sql: string, values: SQLInputValue[] = []): Statement => ({
      bind: (...bound) => prepare(sql, bound),
      first: async () => db.prepare(sql).get(...values),
      run: () => void db.prepare(sql).run(...values),
    })
    const batch = async (statements: Statement[]): Promise<void> => {
      db.exec('BEGIN')
      for (const statement of statements) statement.run()
      db.exec('COMMIT')
    }
    const balance = (): unknown => db.prepare('SELECT balance FROM accounts').get()!['balance']
    return { DB: { prepare, batch }, balance }
  }

  it('works once on an event that is delivered ten times at once, and again later', async () => {
    const page = 'docs/recipes/webhook.md'
    const { default: app } = await importFrom<{ default: Hono }>(page, 'webhook.ts')
    const { DB, balance } = openDatabase()
    const { promise: goOn, resolve: finish } = later()
    let notified = 0
    const notify = async (): Promise<void> => {
      notified++
      await goOn
    }
    const body = JSON.stringify({ id: freshKey(), account: 'ada', amount: 5 })
    const deliver = async (): Promise<number> =>
      (
        await app.request(
          '/webhook',
          { method: 'POST', body },
          { REDLOCK_NODES: nodes, DB, notify },
        )
      ).status
    const answers: number[] = []
    const deliveries = times(10, async () => answers.push(await deliver()))
    await vi.waitFor(() => expect(answers).toEqual(times(9, () => 409)), patience)
    expect(balance()).toBe(0)
    finish()
    await Promise.all(deliveries)
    expect(answers.at(-1)).toBe(200)
    await vi.waitFor(async () => expect(await deliver()).toBe(200), patience)
    expect(notified).toBe(1)
    expect(balance()).toBe(5)
  })
})

describe('docs/recipes/streaming.md', () => {
  it('holds the lock until the body ends, or until its client has gone', async () => {
    const page = 'docs/recipes/streaming.md'
    const { default: app } = await importFrom<{ default: Hono }>(page, 'worker.ts')
    const id = freshKey()
    const key = `lock:l:${lockKey('export', id)}`
    const isFree = async (): Promise<boolean> =>
      (await holders(servers, key)).every((holder) => holder === null)
    const source = later()
    let isOver = false
    const lines = async function* (): AsyncGenerator<string> {
      yield 'first'
      await source.promise
      yield 'last'
      isOver = true
    }
    const get = (): Promise<Response> =>
      Promise.resolve(app.request(`/exports/${id}`, {}, { REDLOCK_NODES: nodes, lines }))
    const response = await get()
    expect(response.status).toBe(200)
    expect((await get()).status).toBe(409)
    expect(await isFree()).toBe(false)
    source.resolve()
    expect(await response.text()).toBe('first\nlast\n')
    expect(isOver).toBe(true)
    await vi.waitFor(async () => expect(await isFree()).toBe(true), patience)

    const next = await get()
    await next.body!.cancel()
    await vi.waitFor(async () => expect(await isFree()).toBe(true), patience)
  })
})

describe('docs/recipes/cache-stampede.md', () => {
  it('renders once for 50 requests on five machines, and goes on in an outage', async () => {
    const page = 'docs/recipes/cache-stampede.md'
    type Cached = (
      redlock: Redlock,
      cache: {
        get: (key: string) => Promise<string | undefined>
        put: (key: string, value: string) => Promise<void>
      },
      key: string,
      render: () => Promise<string>,
    ) => Promise<string>
    const { cached } = await importFrom<{ cached: Cached }>(page, 'cached.ts')
    const entries = new Map<string, string>()
    const cache = {
      get: async (key: string) => entries.get(key),
      put: async (key: string, value: string) => void entries.set(key, value),
    }
    const key = freshKey()
    let isDown = false
    const fault: Fault = (request, send) => (isDown ? refuse(request, send) : send())
    const machines = times(5, () => {
      const given = nodes.map((node) => withFault(node, fault))
      // On a busy machine, 250 requests at once are answered late.
      return new Redlock({ nodes: given, ttl: 30_000, nodeTimeout: 10_000 })
    })
    let renderings = 0
    const render = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return `page ${++renderings}`
    }
    const pages = await Promise.all(
      times(50, (index) => cached(machines[index % 5]!, cache, key, render)),
    )
    expect(new Set(pages)).toEqual(new Set(['page 1']))
    expect(renderings).toBe(1)
    entries.clear()
    isDown = true
    const begun = performance.now()
    expect(await cached(machines[0]!, cache, key, render)).toBe('page 2')
    expect(performance.now() - begun).toBeLessThan(4_000)
  })
})
