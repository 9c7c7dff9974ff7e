import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { isStaleTokenError, sqlGuard } from '../../src/entries/guards.ts'
import { type Fault, hang, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { appWith } from './app.ts'
import { later } from '../support/signals.ts'
import { realNodes } from '../support/real-nodes.ts'

// A process that dies between the effect and the record: the effect happens once, if the transaction that
// writes it also seals the resource of the guard.

const nodes = realNodes.slice(0, 3)
const sealed = Number.MAX_SAFE_INTEGER

const openShop = () => {
  const database = new DatabaseSync(':memory:')
  const guard = sqlGuard({ dialect: 'sqlite' })
  database.exec(guard.schema)
  database.exec('CREATE TABLE orders (request TEXT, text TEXT)')
  const order = async (request: string, token: number, text: string): Promise<string> => {
    try {
      await guard.run(request, token, ({ sql, params }) => {
        database.exec('BEGIN')
        try {
          database.prepare(sql).run(...params)
          database.prepare('INSERT INTO orders VALUES (?, ?)').run(request, text)
          database.prepare(sql).run(request, sealed)
          database.exec('COMMIT')
        } catch (error) {
          database.exec('ROLLBACK')
          throw error
        }
      })
    } catch (error) {
      if (!isStaleTokenError(error)) throw error
    }
    const row = database.prepare('SELECT text FROM orders WHERE request = ?').get(request)
    return String(row!.text)
  }
  return { order, rows: () => database.prepare('SELECT * FROM orders').all() }
}

it.each(['before', 'after'])('the effect happens once, for a crash %s it', async (moment) => {
  const shop = openShop()
  let isDead = false
  const { promise: going, resolve: goOn } = later()
  const fault: Fault = (request, send) => (isDead ? hang(request, send) : send())
  const first = appWith(
    nodes.map((node) => withFault(node, fault)),
    async (c) => {
      const [request] = c.var.lock!.keys
      const token = await c.var.lock!.fencingToken()
      if (moment === 'after') await shop.order(request!, token, 'first')
      isDead = true
      await going
      // The process was only paused, and goes on.
      return c.text(await shop.order(request!, token, 'first'))
    },
    // The others wait for its end. A busy machine may need long until the claim is made.
    { ttl: 2_000 },
  )
  const key = freshKey()
  const stale = first.post(key)
  await eventually(() => expect(isDead).toBe(true))
  const second = appWith(
    nodes,
    async (c) =>
      c.text(await shop.order(c.var.lock!.keys[0]!, await c.var.lock!.fencingToken(), 'second')),
    { wait: 20_000 },
  )
  const winner = moment === 'after' ? 'first' : 'second'
  expect(await (await second.post(key)).text()).toBe(winner)
  expect(second.runs()).toBe(1)
  isDead = false
  goOn()
  expect(await (await stale).text()).toBe(winner)
  expect(shop.rows()).toHaveLength(1)
  expect(await (await second.post(key)).text()).toBe(winner)
})
