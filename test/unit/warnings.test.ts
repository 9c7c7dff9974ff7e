import type { KeyCommand } from '../../src/protocol/command.ts'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { Redlock, type RedlockOptions, throttle } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { downNode } from '../support/down-node.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { first } from '../../tools/faults.ts'

// Without a listener, a mistake in the configuration would be noticed only when a second node fails. The
// console shows it once per isolate and node, so each test has nodes of its own names.

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})

beforeEach(() => void warn.mockClear())
afterAll(() => warn.mockRestore())

const warnings = (): string[] => warn.mock.calls.map(([text]) => String(text))

const token = 'AXyzAAIncDE1Mzg0-Zq9'

/** A REST node whose server answers with this status and body. */
const answering = (name: string, status: number, body: unknown) => ({
  url: `https://${name}.example`,
  token,
  fetch: async () => Response.json(body, { status }),
})

/** Acquires and releases some locks, each with a client of its own, as on Workers. */
const useLocks = async (
  nodes: RedlockOptions['nodes'],
  options: Partial<RedlockOptions> = {},
  count: number = 5,
): Promise<void> => {
  for (let number = 0; number < count; number++) {
    const result = await new Redlock({ nodes, ...options }).tryAcquire(`key-${number}`)
    if (result.ok) await result.lock.release()
  }
}

it.each([
  [401, { error: 'WRONGPASS invalid or missing auth token' }, 'WRONGPASS'],
  [401, {}, 'HTTP 401'],
  [403, 'forbidden', 'HTTP 403'],
  [400, { error: 'NOPERM this user has no permissions' }, 'NOPERM'],
])('shows once that a node does not accept its token: %i %j', async (status, body, text) => {
  const name = text.toLowerCase().replace(' ', '-')
  await useLocks([...memoryNodes(2), answering(name, status, body)])
  expect(warnings()).toEqual([
    expect.stringMatching(`^edge-redlock: https://${name}.example fails: ${text}`),
  ])
})

it('shows each node that fails, also where no quorum is left', async () => {
  const wrong = ['x', 'y', 'z'].map((name) => answering(name, 401, { error: 'WRONGPASS' }))
  await useLocks(wrong)
  const ofNodes = warnings().filter((text) => !text.includes('too few nodes'))
  expect(ofNodes.toSorted()).toEqual(
    ['x', 'y', 'z'].map((name) => `edge-redlock: https://${name}.example fails: WRONGPASS (ERL19)`),
  )
})

it('shows once that too few nodes answer, with the reasons', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes })
  await (await redlock.acquire('key')).release()
  for (const node of nodes.slice(1)) node.fail(new Error('ECONNREFUSED'))
  for (const key of ['a', 'b', 'c']) await redlock.tryAcquire(key)
  await throttle(redlock, 'a', { window: 1_000 })
  const answers = nodes.map(({ name }, index) => `; ${name} ${index ? 'ECONNREFUSED' : 'granted'}`)
  const text = `edge-redlock: too few nodes answer${answers.toSorted().join('')} (ERL03)`
  expect(warnings().filter((shown) => !shown.includes('fails'))).toEqual([text])
})

it('shows nothing of nodes that had only the time of a short ttl', async () => {
  const hung = ['hung-1', 'hung-2'].map((name) => memoryNode({ name }))
  for (const node of hung) node.hang()
  const redlock = new Redlock({ nodes: [memoryNode(), ...hung] })
  for (const key of ['a', 'b', 'c']) {
    const result = await redlock.tryAcquire(key, { ttl: 60 })
    expect(result).toMatchObject({ reason: 'unavailable' })
    const [, error] = 'nodes' in result ? result.nodes.map((node) => node.error?.message) : []
    expect(error).toMatch(/^no answer in 30 ms$/)
  }
  expect(warnings().filter((text) => text.includes('fails'))).toEqual([])
})

it('shows once that a node fails, while others answer', async () => {
  await useLocks([...memoryNodes(2), downNode('gone-2')], {}, 1)
  await useLocks([...memoryNodes(2), downNode('gone-2')])
  expect(warnings()).toEqual(['edge-redlock: gone-2 fails: down (ERL19)'])
})

it('shows that a node fails which has answered before', async () => {
  const node = memoryNode({ name: 'sick' })
  const redlock = new Redlock({ nodes: [...memoryNodes(2), node] })
  for (const key of ['a', 'b', 'c', 'd']) {
    await (await redlock.acquire(key)).release()
    node.fail()
  }
  expect(warnings()).toEqual([expect.stringMatching(/^edge-redlock: sick fails: /)])
})

it('shows that a token is rejected which has been accepted, also after another failure', async () => {
  const node = memoryNode({ name: 'revoked' })
  const redlock = new Redlock({ nodes: [...memoryNodes(2), node] })
  const use = async (): Promise<void> => void (await (await redlock.acquire('key')).release())
  await use()
  for (const text of ['HTTP 502', 'HTTP 401']) {
    node.fail(new Error(text))
    for (let turn = 0; turn < 3; turn++) await use()
    node.recover()
    await use()
  }
  expect(warnings()).toEqual([
    'edge-redlock: revoked fails: HTTP 502 (ERL19)',
    'edge-redlock: revoked fails: HTTP 401 (ERL19)',
  ])
})

it('shows an outage once, also to clients that make their nodes anew', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const nodes = ['down-a', 'down-b', 'down-c'].map((name) => downNode(name))
    expect(await new Redlock({ nodes }).tryAcquire('key')).toMatchObject({ reason: 'unavailable' })
  }
  expect(warnings().filter((text) => text.includes('too few'))).toHaveLength(1)
})

it('shows nothing of a single failure', async () => {
  const node = memoryNode({ name: 'late' })
  const failing = nodeThrough(
    node,
    first(1, () => Promise.reject(new Error('down'))),
  )
  const redlock = new Redlock({ nodes: [...memoryNodes(2), failing] })
  for (const key of ['a', 'b', 'c']) await (await redlock.acquire(key)).release()
  expect(warnings()).toEqual([])
})

it('shows once that a node never answers, also with a short ttl', async () => {
  vi.useFakeTimers()
  try {
    const node = nodeThrough(memoryNode({ name: 'silent' }), () => new Promise(() => {}))
    const redlock = new Redlock({ nodes: [...memoryNodes(2), node], ttl: 1_200 })
    for (let turn = 0; turn < 8; turn++) {
      await (await redlock.acquire('key')).release()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(warnings()).toEqual(['edge-redlock: silent fails: no answer in 594 ms (ERL19)'])
  } finally {
    vi.useRealTimers()
  }
})

it('a node that answers late now and then is not down, even with a short ttl', async () => {
  vi.useFakeTimers()
  try {
    const node = nodeThrough(memoryNode({ name: 'unsteady' }), ({ command }, send) =>
      (command as KeyCommand).keys[0]!.endsWith('late') ? new Promise(() => {}) : send(),
    )
    const types = new Set<string>()
    const onEvent: RedlockOptions['onEvent'] = ({ type }) => void types.add(type)
    const nodes = [...memoryNodes(2), node]
    const redlock = new Redlock({ nodes, ttl: 1_200, onEvent, warnings: true })
    for (let turn = 0; turn < 8; turn++) {
      const late = await redlock.acquire('late')
      await (await redlock.acquire('in time')).release()
      await vi.advanceTimersByTimeAsync(1_000)
      await late.release()
      await (await redlock.acquire('in time')).release()
    }
    expect(types).toContain('node-error')
    expect(types).not.toContain('node-down')
    expect(warnings()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

it('shows once an error whose numbers vary', async () => {
  const node = memoryNode({ name: 'limited' })
  const redlock = new Redlock({ nodes: [...memoryNodes(2), node] })
  for (let used = 0; used < 5; used++) {
    node.fail(new Error(`ERR max requests limit exceeded. Limit: 10000, Usage: ${10_000 + used}`))
    await (await redlock.acquire('key')).release()
  }
  expect(warnings()).toHaveLength(1)
})

it('shows once that two nodes are one server', async () => {
  const [one, other] = memoryNodes(2)
  const nodes = [one!, other!, { ...other!, name: 'same-5' }]
  await useLocks(nodes)
  expect(warnings()).toEqual([
    expect.stringMatching(
      /^edge-redlock: \S+ is the same server as \S+, or a copy of its data: it does not count\. Start a copy empty, or delete lock:id there \(ERL20\)$/,
    ),
  ])
})

it('shows nothing with a listener, which receives events, unless it is told to', async () => {
  const nodes = [...memoryNodes(2), downNode('gone-6')]
  const types = new Set<string>()
  const onEvent: RedlockOptions['onEvent'] = ({ type }) => void types.add(type)
  await useLocks(nodes, { onEvent })
  expect(types).toContain('node-error')
  expect(warnings()).toEqual([])
  await useLocks([...memoryNodes(2), downNode('gone-6')], { onEvent, warnings: true })
  expect(warnings()).toEqual(['edge-redlock: gone-6 fails: down (ERL19)'])
})

it('shows nothing with warnings: false', async () => {
  const [one, other] = memoryNodes(2)
  const nodes = [one!, other!, { ...other!, name: 'same-7' }, answering('a-7', 401, {})]
  await useLocks([...nodes, downNode('gone-7')], { warnings: false })
  await useLocks(nodes, { warnings: false })
  expect(warnings()).toEqual([])
})

it('never shows a secret, whatever the server replies', async () => {
  const echo = answering('a-8', 401, { error: `WRONGPASS for Bearer ${token}` })
  await useLocks([...memoryNodes(2), echo])
  expect(warnings()).toEqual([
    'edge-redlock: https://a-8.example fails: WRONGPASS for Bearer *** (ERL19)',
  ])
})

it('shows once that a ttl or a window is less than a second, but not in tests', async () => {
  const nodes = [answering('short', 200, {})]
  await throttle(new Redlock({ nodes, warnings: false }), 'key', { window: 60 })
  await throttle(new Redlock({ nodes: memoryNodes(1), ttl: 30 }), 'key', { window: 60 })
  await throttle(new Redlock({ nodes, ttl: 30, onEvent: () => {} }), 'key', { window: 60 })
  await throttle(new Redlock({ nodes }), 'key', { window: 1_000 })
  expect(warnings().filter((text) => text.includes('milliseconds'))).toEqual([])
  const redlock = new Redlock({ nodes, ttl: 30, onEvent: () => {}, warnings: true })
  await throttle(redlock, 'key', { window: 60 })
  await redlock.tryAcquire('key', { ttl: 45 })
  expect(warnings().filter((text) => text.includes('milliseconds'))).toEqual([
    'edge-redlock: `ttl` is 30 milliseconds: write 30_000 for seconds (ERL23)',
    'edge-redlock: `window` is 60 milliseconds: write 60_000 for seconds (ERL23)',
  ])
})

it.each(['DEL', 'SET'])('shows at once that a server rejects %s to a release', async (name) => {
  const [one, two, three] = memoryNodes(3)
  const rejected = `NOPERM this user has no permissions to run the '${name.toLowerCase()}' command`
  const denied = {
    ...nodeThrough(three!, ({ operation }, send) =>
      operation === 'r' ? Promise.reject(new Error(rejected)) : send(),
    ),
    name: `denies-${name}`,
  }
  await useLocks([one!, two!, denied])
  expect(warnings()).toEqual([`edge-redlock: denies-${name} fails: ${rejected} (ERL19)`])
})
