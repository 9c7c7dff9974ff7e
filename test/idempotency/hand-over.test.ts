import { expect, it } from 'vitest'
import { adopt, isQuorumError, type Lock, Redlock, serialize, ttlOf } from '../../src/index.ts'
import { type Fault, hang, withFault } from '../support/faults.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { later } from '../support/signals.ts'
import { realNodes } from '../support/real-nodes.ts'

// The lock of a claim is a lock, but for what would show an answer, or make a request unanswerable.

const nodes = realNodes.slice(0, 3)

it('is not handed over, and the request is answered', async () => {
  const errors: unknown[] = []
  const app = appWith(nodes, async (c) => {
    const inner = c.var.lock!.reenter()
    for (const lock of [c.var.lock!, inner]) {
      try {
        serialize(lock)
      } catch (error) {
        errors.push(error)
      }
    }
    await inner.release()
    return c.text('done', 201)
  })
  const key = freshKey()
  expect((await app.post(key)).status).toBe(201)
  expect((await app.post(key)).headers.get('idempotent-replayed')).toBe('true')
  expect(errors).toEqual(Array(2).fill(expect.any(TypeError)))
  expect(String(errors[0])).toMatch(
    /acquired; the lock of an idempotent request cannot be serialized/,
  )
})

it('locks of other kinds are handed over as before', async () => {
  const redlock = new Redlock({ nodes })
  const lock = await redlock.acquire(freshKey())
  const adopted = adopt(redlock, JSON.stringify(serialize(lock)))
  await adopted.extend()
  expect(await adopted.release()).toBe('released')
})

it('no error of the lock has the answer that another has recorded', async () => {
  let isCut = false
  const { promise: finished, resolve: finish } = later()
  const errors: unknown[] = []
  let lock: Lock | undefined
  const cut: Fault = (request, send) => (isCut ? hang(request, send) : send())
  const sick = nodes.map((node, rank) => (rank > 0 ? withFault(node, cut) : node))
  const late = appWith(
    new Redlock({ nodes: sick, nodeTimeout: 1_000, warnings: false }),
    async (c) => {
      lock = c.var.lock!
      await finished
      for (const ask of [() => lock!.extend(), () => lock!.fencingToken(), () => ttlOf(lock!)]) {
        try {
          await ask()
        } catch (error) {
          errors.push(error)
        }
      }
      isCut = false
      return c.text('late', 201)
    },
    { ttl: 60_000 },
  )
  const key = freshKey()
  const first = late.post(key)
  await eventually(() => expect(lock).toBeDefined())
  // One node has forgotten the claim, and has a record by now.
  const name = `lock:r:${lock!.keys[0]}`
  const body = btoa('secret of the answer')
  const record = `bbbbbbbb d 5 x {"status":200,"headers":[],"body":"${body}"}`
  const command = async (...words: string[]): Promise<void> => {
    const { url, token } = nodes[0]!
    const headers = { authorization: `Bearer ${token}` }
    await fetch(url, { method: 'POST', headers, body: JSON.stringify(words) })
  }
  await command('SET', name, record, 'PX', '60000')
  isCut = true
  finish()
  await first
  expect(errors.filter(isQuorumError).length).toBeGreaterThan(0)
  expect(JSON.stringify(errors)).toContain('bbbbbbbb')
  expect(JSON.stringify(errors)).not.toContain(body)
})
