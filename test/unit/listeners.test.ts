import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { idempotent, once } from '../../src/entries/idempotency.ts'
import { lock } from '../../src/entries/hono.ts'
import { inspect, type LockEvent, type LockNode, Redlock } from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { later } from '../support/signals.ts'

// What a listener may do at each event: throw, call the library again, or abort. src/core/README.md says in which order
// the library reports and decides.

type Stage = {
  readonly nodes: readonly MemoryNode[]
  readonly redlock: Redlock
  /** Another client of the same nodes, which nobody listens to. */
  readonly other: Redlock
  readonly signal: AbortSignal
  readonly abort: () => void
}

type Situation = {
  /** Leads to the event, and says what the caller gets. */
  readonly run: (stage: Stage) => Promise<unknown>
  /** The result of the caller. */
  readonly result: unknown
  /** The same if a listener aborts the call at the event. Default: no difference. */
  readonly aborted?: unknown
  readonly nodes?: (nodes: readonly MemoryNode[]) => readonly LockNode[]
}

const reason = 'the listener has aborted'

/** What a call got, in a word: `lock`, why it was rejected, or the message of its error. The lock is released. */
const outcomeOf = async ({ redlock, signal }: Stage): Promise<string> => {
  try {
    const result = await redlock.tryAcquire('key', { signal })
    if (!result.ok) return result.reason
    await result.lock.release()
    return 'lock'
  } catch (error) {
    return (error as Error).message
  }
}

const appOf = ({ redlock }: Stage, run: () => Promise<string>) => {
  const app = new Hono().post('/', idempotent({ redlock, scope: () => 'u' }), async (c) =>
    c.text(await run(), (await c.req.text()) === 'fail' ? 500 : 200),
  )
  return async (body: string): Promise<number> => {
    const init = { method: 'POST', body, headers: { 'idempotency-key': 'order-7' } }
    return (await app.request('/', init)).status
  }
}

const done = async (): Promise<string> => 'done'

const lockOn = async (node: LockNode, ttl: number): Promise<void> =>
  void (await new Redlock({ nodes: [node] }).acquire('key', { ttl }))

const situations: { readonly [type in LockEvent['type']]: Situation } = {
  acquired: { run: outcomeOf, result: 'lock' },
  rejected: {
    run: async (stage) => {
      await stage.other.acquire('key')
      return outcomeOf(stage)
    },
    result: 'locked',
  },
  waiting: {
    run: async (stage) => {
      const held = await stage.other.acquire('key')
      setTimeout(() => void held.release(), 30)
      const call = stage.redlock.acquire('key', { signal: stage.signal, wait: 1_000 })
      return call.then(
        (own) => own.release(),
        (error: Error) => error.message,
      )
    },
    result: 'released',
    aborted: reason,
  },
  split: {
    run: async (stage) => {
      await lockOn(stage.nodes[0]!, 10_000)
      await lockOn(stage.nodes[1]!, 10_000)
      return outcomeOf(stage)
    },
    result: 'locked',
  },
  'node-error': {
    run: async (stage) => {
      stage.nodes[0]!.fail()
      stage.nodes[1]!.fail()
      return outcomeOf(stage)
    },
    result: 'unavailable',
    aborted: reason,
  },
  'node-down': {
    run: async (stage) => {
      stage.nodes[0]!.fail()
      for (const node of stage.nodes.slice(1)) node.delay(5)
      return outcomeOf(stage)
    },
    result: 'lock',
    aborted: reason,
  },
  'node-up': {
    run: async (stage) => {
      stage.nodes[0]!.fail()
      await outcomeOf(stage)
      stage.nodes[0]!.recover()
      // With the node that comes back, and one other, the lock is acquired.
      stage.nodes[2]!.hang()
      return outcomeOf(stage)
    },
    result: 'lock',
    aborted: reason,
  },
  'duplicate-node': {
    run: async (stage) => {
      stage.nodes[2]!.delay(5)
      return outcomeOf(stage)
    },
    result: 'lock',
    aborted: reason,
    nodes: ([first, , third]) => [first!, { ...first!, name: 'twin' }, third!],
  },
  'failed-open': {
    run: (stage) => {
      for (const node of stage.nodes) node.fail()
      return once(stage.redlock, 'k', { keepFor: 0, wait: 0, failOpen: true }, done)
    },
    result: 'done',
  },
  extended: {
    run: async ({ redlock, signal }) => {
      const held = await redlock.acquire('key', { signal })
      await held.extend()
      return held.release()
    },
    result: 'released',
  },
  lost: {
    run: async ({ redlock, signal }) => {
      const held = await redlock.acquire('key', { signal, ttl: 40 })
      await vi.waitFor(() => expect(held.held).toBe(false))
      return held.release()
    },
    result: 'expired',
  },
  released: {
    run: async ({ redlock, signal }) => (await redlock.acquire('key', { signal })).release(),
    result: 'released',
  },
  skipped: {
    run: async ({ redlock }) => {
      const app = new Hono().get('/', lock({ redlock, key: () => null }), (c) => c.text('open'))
      return (await app.request('/')).text()
    },
    result: 'open',
  },
  replayed: {
    run: async (stage) => {
      const post = appOf(stage, done)
      return [await post('a'), await post('a')]
    },
    result: [200, 200],
  },
  'payload-mismatch': {
    run: async (stage) => {
      const post = appOf(stage, done)
      return [await post('a'), await post('b')]
    },
    result: [200, 422],
  },
  'in-flight': {
    run: async (stage) => {
      const { promise, resolve } = later()
      const { promise: started, resolve: start } = later()
      const post = appOf(stage, async () => {
        start()
        await promise
        return 'done'
      })
      const first = post('a')
      await started
      const second = await post('a')
      resolve()
      return [await first, second]
    },
    result: [200, 409],
  },
  'not-recorded': {
    run: (stage) => appOf(stage, done)('fail'),
    result: 500,
  },
}

/** Sets up a situation in which a listener acts once, at the first event of the type. */
const open = (type: string, { nodes: nodesOf }: Situation, act: (stage: Stage) => void): Stage => {
  const nodes = memoryNodes(3)
  const used = nodesOf?.(nodes) ?? nodes
  const controller = new AbortController()
  let hasActed = false
  const onEvent = (event: LockEvent): void => {
    if (event.type !== type || hasActed) return
    hasActed = true
    act(stage)
  }
  const stage: Stage = {
    nodes,
    redlock: new Redlock({ nodes: used, onEvent, nodeTimeout: 500 }),
    other: new Redlock({ nodes: used }),
    signal: controller.signal,
    abort: () => controller.abort(new Error(reason)),
  }
  return stage
}

const nothingStaysLocked = async ({ nodes }: Stage): Promise<void> => {
  for (const node of nodes) node.recover()
  await vi.waitFor(() => {
    for (const { entries } of nodes)
      expect([...entries.keys()].filter((key) => key === 'lock:l:key')).toEqual([])
  })
}

/** Whether somebody else holds the key at the end of the situation. */
const isHeldByOthers = (type: string): boolean => type === 'rejected' || type === 'split'

describe.each(Object.entries(situations))('a listener at `%s`', (type, situation) => {
  const { run, result, aborted = result } = situation

  it('is called, and its error reaches nobody', async () => {
    let calls = 0
    const stage = open(type, situation, () => {
      calls++
      throw new Error('the listener has thrown')
    })
    expect(await run(stage)).toEqual(result)
    await vi.waitFor(() => expect(calls).toBe(1))
    if (!isHeldByOthers(type)) await nothingStaysLocked(stage)
  })

  it('may call the library again', async () => {
    const calls: Promise<unknown>[] = []
    const stage = open(type, situation, ({ redlock }) => {
      calls.push(
        inspect(redlock, 'key'),
        redlock.tryAcquire('another'),
        redlock.tryAcquire('key', { ttl: 25 }),
      )
    })
    const got = await run(stage)
    await vi.waitFor(() => expect(calls).toHaveLength(3))
    // The nodes may still be down. What counts is that no call hangs or throws.
    await Promise.all(calls)
    expect(got).toEqual(result)
  })

  it('may abort the call', async () => {
    const stage = open(type, situation, ({ abort }) => abort())
    expect(await run(stage)).toEqual(aborted)
    if (!isHeldByOthers(type)) await nothingStaysLocked(stage)
  })
})

it('a node that aborts the call while it is asked leaves nothing locked', async () => {
  const nodes = memoryNodes(3)
  const controller = new AbortController()
  const aborting: LockNode = {
    ...nodes[0]!,
    run: (command, options) => {
      if (command.op === 'acquire') controller.abort(new Error(reason))
      return nodes[0]!.run(command, options)
    },
  }
  const redlock = new Redlock({ nodes: [aborting, ...nodes.slice(1)] })
  await expect(redlock.tryAcquire('key', { signal: controller.signal })).rejects.toThrow(reason)
  await vi.waitFor(() => {
    for (const { entries } of nodes) expect(entries.has('lock:l:key')).toBe(false)
  })
})

describe('a console that throws', () => {
  const silence = 'no warnings in tests'

  it('ends the call with its error, and leaves nothing locked', async () => {
    const nodes = memoryNodes(3)
    nodes[2]!.delay(5)
    const redlock = new Redlock({ nodes, warnings: true })
    using _ = vi.spyOn(console, 'warn').mockImplementation(() => {
      throw new Error(silence)
    })
    nodes[1]!.fail()
    // A node is down once it has failed twice in a row.
    await redlock.tryAcquire('first')
    await expect(redlock.tryAcquire('key')).rejects.toThrow(silence)
    await vi.waitFor(() => {
      for (const { entries } of nodes) expect(entries.has('lock:l:key')).toBe(false)
    })
  })

  it('does not keep a node from being released that fails after the call', async () => {
    const nodes = memoryNodes(3)
    const released: string[] = []
    const late: LockNode = {
      name: 'late',
      run: async (command) => {
        if (command.op === 'release') released.push(command.keys[0]!)
        await new Promise((resolve) => setTimeout(resolve, 20))
        throw new Error('has lost its connection')
      },
    }
    const redlock = new Redlock({ nodes: [nodes[0]!, nodes[1]!, late], warnings: true })
    for (const key of ['first', 'key']) await new Redlock({ nodes }).acquire(key)
    using _ = vi.spyOn(console, 'warn').mockImplementation(() => {
      throw new Error(silence)
    })
    for (const key of ['first', 'key'])
      expect(await redlock.tryAcquire(key)).toMatchObject({ reason: 'locked' })
    await vi.waitFor(() => expect(released).toEqual(['lock:l:first', 'lock:l:key']))
  })

  it('ends neither the process nor a lock whose budget is used up', async () => {
    let warn = (): void => {}
    const isWarned = new Promise<void>((resolve) => (warn = resolve))
    using _ = vi.spyOn(console, 'warn').mockImplementation(() => {
      warn()
      throw new Error(silence)
    })
    const redlock = new Redlock({ nodes: memoryNodes(3), ttl: 3_000, budget: 6, warnings: true })
    // The lock is not extended, so it warns. An error that nobody catches would fail the run.
    await expect(redlock.using('key', () => isWarned)).resolves.toBeUndefined()
  })
})
