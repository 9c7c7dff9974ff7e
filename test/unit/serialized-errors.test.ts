import { describe, expect, it } from 'vitest'
import { StaleTokenError } from '../../src/entries/guards.ts'
import { inspect, isLockedError, isQuorumError, type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { echoNodes } from '../secrets/echo-nodes.ts'

// Errors, reports and events as JSON, as a structured logger writes them.

const asJson = (value: unknown): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>

const reasonOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

describe('the JSON', () => {
  const token = 'AXyzAAIncDE1Mzg0-Zq9'
  const cause = { name: 'Error', message: expect.stringMatching(/^ERR x+ Bearer \*\*\*/) as string }

  it('of a QuorumError has its message and the reason of each node', async () => {
    const redlock = new Redlock({ nodes: echoNodes(token), warnings: false })
    const error = await reasonOf(redlock.acquire('k', { retry: { attempts: 1 } }))
    const json = asJson(error)
    expect(json).toMatchObject({
      name: 'QuorumError',
      message: expect.stringMatching(/^Too few nodes answered for the lock on \["k"\]; http:/),
      keys: ['k'],
      nodes: ['a', 'b', 'c'].map((name) => ({
        node: `http://${name}.example`,
        status: 'error',
        error: cause,
      })),
    })
    expect(isQuorumError(json)).toBe(true)
    expect(JSON.stringify(error)).not.toContain(token)
  })

  it('of a LockedError says who holds the lock', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const held = await redlock.acquire('k', { metadata: 'worker 3' })
    const json = asJson(await reasonOf(redlock.acquire('k', { wait: 0 })))
    expect(json).toMatchObject({
      name: 'LockedError',
      message: expect.stringContaining('is held by "worker 3"'),
      metadata: 'worker 3',
      retryAfter: expect.any(Number),
    })
    expect(isLockedError(json)).toBe(true)
    expect(JSON.stringify(json)).not.toContain(held.value)
    await held.release()
    expect(asJson(await reasonOf(held.extend()))).toEqual({
      name: 'LockLostError',
      message: 'Lost the lock on ["k"]: it was released (ERL04)',
      isLockLostError: true,
      keys: ['k'],
      id: held.id,
    })
  })

  it('of an event and of a rejection has the reason of each node', async () => {
    const events: LockEvent[] = []
    const redlock = new Redlock({
      nodes: echoNodes(token),
      onEvent: (event) => void events.push(event),
    })
    const rejection = await redlock.tryAcquire('k')
    const error = events.find(({ type }) => type === 'node-error')
    expect(asJson(error)).toMatchObject({ type: 'node-error', error: cause })
    expect(asJson(rejection)).toMatchObject({ ok: false, nodes: [{ error: cause }, {}, {}] })
    expect(JSON.stringify([events, rejection, await inspect(redlock, 'k')])).not.toContain(token)
  })

  it('of a node that did not answer, or is another one, says so', async () => {
    const [one] = memoryNodes(1)
    const hung = memoryNode({ name: 'hung' })
    hung.hang()
    const nodes = [one!, { ...one!, name: 'same' }, hung]
    const redlock = new Redlock({ nodes, nodeTimeout: 20, warnings: false })
    const json = asJson(await inspect(redlock, 'k')) as { nodes: { error?: { message: string } }[] }
    expect(
      json.nodes
        .map(({ error }) => error?.message)
        .filter((message) => message !== undefined)
        .sort((a, b) => a.localeCompare(b)),
    ).toEqual(
      [
        'is the same server as memory-1, or a copy of its data: it does not count. Start a copy empty, or delete lock:id there',
        'no answer in 20 ms',
      ].map((text) => expect.stringContaining(text.replace('memory-1', one!.name))),
    )
  })

  it('of a stale token has its numbers', () => {
    expect(asJson(new StaleTokenError('report', 7, 8))).toMatchObject({
      name: 'StaleTokenError',
      message: 'The fencing token 7 for "report" is lower than 8 (ERL07)',
      token: 7,
      highest: 8,
    })
  })
})
