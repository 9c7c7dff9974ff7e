import { describe, expect, it } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { type LockNode, Redlock, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { freshKey } from '../support/nodes.ts'
import { hangUntilAborted, sleep } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// A process remembers how nodes behaved. What a few requests have left behind must not fail the calls of a crowd,
// while another node begins to hang.

const users = 60

type Behaviour = 'answers' | 'loses replies' | 'swallows requests' | 'fails' | 'is slow'

/** The node, and how it behaves. */
const changing = (node: LockNode) => {
  const state: { behaviour: Behaviour } = { behaviour: 'answers' }
  const changed = nodeThrough(node, async (call, send) => {
    const { behaviour } = state
    if (behaviour === 'swallows requests') return hangUntilAborted(call)
    if (behaviour === 'fails') throw new Error('connect ECONNREFUSED')
    if (behaviour === 'is slow') await sleep(400)
    const reply = await send()
    return behaviour === 'loses replies' ? hangUntilAborted(call) : reply
  })
  return { state, node: changed }
}

const calls = {
  throttle: async (redlock: Redlock) => (await throttle(redlock, freshKey(), { window: 5_000 })).ok,
  acquire: async (redlock: Redlock) => (await redlock.tryAcquire(freshKey())).ok,
  once: async (redlock: Redlock) =>
    (await once(redlock, freshKey(), { keepFor: 5_000 }, async () => 'done')) === 'done',
}

type Past = {
  readonly behaviour: Behaviour
  /** How many calls meet it. */
  readonly calls: number
  /** How long ago the last of them began, in ms. */
  readonly age: number
  /** Whether other calls are made meanwhile, so that a quorum is known to answer. */
  readonly isBusy?: boolean
}

const pasts: readonly Past[] = [
  { behaviour: 'loses replies', calls: 1, age: 620 },
  { behaviour: 'loses replies', calls: 15, age: 620 },
  { behaviour: 'loses replies', calls: 40, age: 100 },
  { behaviour: 'loses replies', calls: 40, age: 620 },
  { behaviour: 'swallows requests', calls: 40, age: 620 },
  { behaviour: 'swallows requests', calls: 40, age: 620, isBusy: true },
  { behaviour: 'swallows requests', calls: 40, age: 2_200, isBusy: true },
  { behaviour: 'fails', calls: 40, age: 0 },
  { behaviour: 'fails', calls: 1, age: 620 },
  { behaviour: 'is slow', calls: 1, age: 620 },
  { behaviour: 'is slow', calls: 40, age: 620, isBusy: true },
]

const cases = pasts.flatMap((past) =>
  [3, 5].flatMap((count) =>
    (Object.keys(calls) as (keyof typeof calls)[]).map((name) => [name, count, past] as const),
  ),
)

describe.concurrent('a crowd', () => {
  it.each(cases)('%s over %i nodes, after one: %o', async (name, count, past) => {
    const servers = memoryNodes(count)
    for (const server of servers) server.delay(2)
    const faulty = servers.map(changing)
    const redlock = new Redlock({ nodes: faulty.map(({ node }) => node), warnings: false })
    const call = calls[name]
    const crowd = (size: number): Promise<boolean[]> =>
      Promise.all(Array.from({ length: size }, () => call(redlock)))
    await call(redlock)

    const [first, second, third] = faulty
    first!.state.behaviour = past.behaviour
    // What the replies say that were lost is known after a timeout.
    const before = crowd(past.calls)
    const until = performance.now() + past.age
    do await Promise.all([past.isBusy && call(redlock), sleep(20)])
    while (performance.now() < until)

    first!.state.behaviour = 'answers'
    second!.state.behaviour = 'swallows requests'
    if (count === 5) third!.state.behaviour = 'swallows requests'
    const results = await crowd(users)
    expect(results.filter((ok) => !ok)).toEqual([])
    expect(await before).not.toContain(false)
  })
})
